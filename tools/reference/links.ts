import ts from 'typescript';
import type { Entry } from './entries.ts';
import { type Export, resolved } from './program.ts';

interface Place {
  readonly name: string;
  readonly page: string;
  readonly anchor: string;
}

/** Where each export is described: on the page of the first entry that has it. */
export class Links {
  readonly #checker: ts.TypeChecker;
  readonly #places = new Map<ts.Symbol, Place>();

  constructor(checker: ts.TypeChecker) {
    this.#checker = checker;
  }

  add({ page }: Entry, { name, symbol }: Export): void {
    if (this.#places.has(symbol)) return;
    const slug = name.toLowerCase();
    // Headings that differ in their case only get the same anchor, but for a number.
    const same = [...this.#places.values()].filter(
      (each) => each.page === page && each.name.toLowerCase() === slug,
    ).length;
    this.#places.set(symbol, { name, page, anchor: same === 0 ? slug : `${slug}-${same}` });
  }

  /** Says whether it is this entry's page that describes an export. */
  isAt({ page }: Entry, { symbol }: Export): boolean {
    return this.#places.get(symbol)?.page === page;
  }

  /** Writes a link from a page. */
  to(symbol: ts.Symbol, from: string): string {
    const { name, page, anchor } = this.#places.get(symbol)!;
    return `[${name}](${page === from ? '' : page}#${anchor})`;
  }

  /** Finds what the types of declarations mention: links to what is exported, and the types of this project that are not. */
  mentionedIn(declarations: readonly ts.Node[], from: string): { links: string[]; unexported: ts.Declaration[] } {
    const found = new Set<ts.Symbol>();
    const visit = (node: ts.Node): void => {
      if (ts.isBlock(node) || ts.isPrivateIdentifier(node)) return;
      const symbol = ts.isIdentifier(node) ? this.#checker.getSymbolAtLocation(node) : undefined;
      if (symbol) found.add(resolved(this.#checker, symbol));
      ts.forEachChild(node, visit);
    };
    declarations.forEach(visit);
    const others = [...found].filter(({ declarations: own = [] }) => !own.some((each) => declarations.includes(each)));
    return {
      links: others.flatMap((symbol) => (this.#places.has(symbol) ? this.to(symbol, from) : [])).sort(),
      unexported: others
        .filter((symbol) => !this.#places.has(symbol))
        .flatMap(({ declarations: own = [] }) => own.filter((each) => isOwnType(each, this.#checker))),
    };
  }
}

function isOwnType(declaration: ts.Declaration, checker: ts.TypeChecker): boolean {
  if (!ts.isInterfaceDeclaration(declaration) && !ts.isTypeAliasDeclaration(declaration)) return false;
  // A type of the platform, for projects that do not declare it too.
  if (checker.resolveName(declaration.name.text, undefined, ts.SymbolFlags.Type, false) !== undefined) return false;
  return !declaration.getSourceFile().fileName.includes('/node_modules/');
}
