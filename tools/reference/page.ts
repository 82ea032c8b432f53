import ts from 'typescript';
import { type Docstring, docstringOf } from './docstring.ts';
import type { Entry } from './entries.ts';
import type { Links } from './links.ts';
import { type Member, membersOf } from './members.ts';
import type { Export } from './program.ts';
import { asWritten, nameAndParameters, signatureOf } from './signature.ts';

const LONGEST_LINE = 110;

/** Writes the page of an entry, from what it exports. */
export function pageOf(entry: Entry, exports: readonly Export[], links: Links, checker: ts.TypeChecker): string {
  const own = exports.filter((each) => links.isAt(entry, each));
  const others = exports.filter((each) => !links.isAt(entry, each)).map(({ symbol }) => links.to(symbol, entry.page));
  return [
    `# ${entry.specifier}`,
    `${capitalized(entry.purpose)}. ${capitalized(entry.stability)}. Made from the docstrings by \`npm run tool -- reference\`; [all entries](README.md).`,
    own.map(({ symbol }) => links.to(symbol, entry.page)).join(' · '),
    others.length > 0 ? `Described elsewhere: ${others.join(', ')}.` : '',
    ...own.map((each) => sectionOf(entry, each, links, checker)),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
    .concat('\n');
}

function sectionOf({ page }: Entry, { name, symbol }: Export, links: Links, checker: ts.TypeChecker): string {
  const declarations = shownDeclarations(symbol);
  const docstring = docstringOf(symbol.declarations!);
  const members = declarations.flatMap((declaration) => membersOf(declaration, checker));
  const isBare = declarations.length === 1 && ts.isInterfaceDeclaration(declarations[0]) && !isDerived(declarations[0]);
  // Not what members are made of that are not shown.
  const parts = declarations.flatMap((each): readonly ts.Node[] => (hasMembers(each) ? basesOf(each) : [each]));
  const { links: mentioned, unexported } = links.mentionedIn(
    [...parts, ...members.map(({ declaration }) => declaration)],
    page,
  );
  // What a type is made of that is made of others nobody can name is of no use to who reads about it.
  const isOpaque = declarations.some(ts.isTypeAliasDeclaration) && unexported.length > 0;
  return [
    `## ${name}`,
    block(isBare ? [] : declarations.map((each) => headOf(each, isOpaque, checker))),
    prose(docstring),
    members.length > 0 ? tableOf(members) : '',
    block(isOpaque ? [] : unexported.map(inFull)),
    mentioned.length > 0 ? `See ${mentioned.join(', ')}.` : '',
  ]
    .filter((part) => part !== '')
    .join('\n\n');
}

function block(lines: readonly string[]): string {
  return lines.length > 0 ? `\`\`\`ts\n${lines.join('\n')}\n\`\`\`` : '';
}

/** A type that has no section of its own. */
function inFull(declaration: ts.Declaration): string {
  return asWritten(declaration).replace(/^export /, '');
}

/** The signatures that callers can choose from, and not the one that implements them. */
function shownDeclarations({ declarations = [] }: ts.Symbol): ts.Declaration[] {
  const overloads = declarations.filter((each) => ts.isFunctionDeclaration(each) && each.body === undefined);
  return overloads.length > 0 ? overloads : declarations;
}

function headOf(declaration: ts.Declaration, isOpaque: boolean, checker: ts.TypeChecker): string {
  return isOpaque && ts.isTypeAliasDeclaration(declaration)
    ? `type ${nameAndParameters(declaration)}`
    : wrapped(signatureOf(declaration, checker));
}

function hasMembers(declaration: ts.Declaration): boolean {
  return ts.isInterfaceDeclaration(declaration) || ts.isClassDeclaration(declaration);
}

/** Puts each part of what is in the outermost brackets on a line of its own where a signature is too long for one. */
function wrapped(signature: string): string {
  if (signature.length <= LONGEST_LINE || signature.includes('\n')) return signature;
  let depth = 0;
  return [...signature]
    .map((character, place) => {
      const before = depth;
      if ('([{'.includes(character)) depth += 1;
      if (')]}'.includes(character)) depth -= 1;
      if (before === 0 && depth === 1) return `${character}\n  `;
      if (before === 1 && depth === 0) return `,\n${character}`;
      return before === 1 && character === ' ' && signature[place - 1] === ',' ? '\n  ' : character;
    })
    .join('');
}

function isDerived(declaration: ts.Declaration): boolean {
  return basesOf(declaration).length > 0 || (declaration as ts.InterfaceDeclaration).typeParameters !== undefined;
}

function basesOf(declaration: ts.Declaration): readonly ts.HeritageClause[] {
  return (declaration as ts.InterfaceDeclaration).heritageClauses ?? [];
}

function prose({ text, byDefault, throws }: Docstring): string {
  const notes = [...(byDefault ? [`Default: ${byDefault}.`] : []), ...throws.map((what) => `Throws ${what}.`)];
  return [text, ...notes].filter((part) => part !== '').join('\n\n');
}

function tableOf(members: readonly Member[]): string {
  return ['| | |', '| --- | --- |', ...members.map(rowOf)].join('\n');
}

function rowOf({ signature, docstring }: Member): string {
  const cells = [`\`${signature}\``, prose(docstring)];
  return `| ${cells.map((cell) => cell.replace(/\s+/g, ' ').replaceAll('|', '\\|')).join(' | ')} |`;
}

function capitalized(text: string): string {
  return text[0].toUpperCase() + text.slice(1);
}
