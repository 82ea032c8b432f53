import { parseAst } from 'rolldown/parseAst';

/** A node of a syntax tree. */
interface Node {
  readonly type: string;
  readonly id?: { readonly name: string } | null;
  readonly static?: boolean;
  readonly body: { readonly body: readonly Node[] };
}

/** Counts the functions of a module: declarations, expressions, arrows, methods and accessors. */
export function functionsIn(module: Uint8Array): number {
  return nodesIn(new TextDecoder().decode(module)).filter(({ type }) => /Function/.test(type)).length;
}

/**
 * Counts the fields that a class declares for its instances.
 * @throws {Error} if the module has no class of that name
 */
export function fieldsOf(name: string, module: string): number {
  const found = nodesIn(module).find(({ type, id }) => type === 'ClassDeclaration' && id?.name === name);
  if (found === undefined) throw new Error(`no class is called ${name}`);
  return found.body.body.filter((member) => member.type === 'PropertyDefinition' && !member.static).length;
}

/** Returns the names that a module exports, or those of values only. It must export each by its name. */
export function exportsOf(module: string, of: 'everything' | 'values' = 'everything'): string[] {
  const { body } = parseAst(module, { lang: 'tsx' });
  return body.flatMap((statement) => {
    if (statement.type === 'ExportAllDeclaration') throw new Error('a module exports names that it does not list');
    if (statement.type !== 'ExportNamedDeclaration') return [];
    if (of === 'values' && statement.exportKind === 'type') return [];
    const specified = statement.specifiers
      .filter(({ exportKind }) => of === 'everything' || exportKind !== 'type')
      .map(({ exported }) => nameOf(exported));
    return [...specified, ...namesOf(statement.declaration)];
  });
}

/** The members that an interface has of its own, and the interfaces that it extends. */
export interface Members {
  readonly count: number;
  readonly bases: readonly string[];
}

/** Finds the interfaces of modules, by their names. */
export function membersOf(modules: readonly string[]): ReadonlyMap<string, Members> {
  const found = modules.flatMap((module) => nodesIn(module) as readonly Interface[]);
  const interfaces = found.filter(({ type }) => type === 'TSInterfaceDeclaration');
  return new Map(
    interfaces.map(({ id, body, extends: bases }) => [
      id.name,
      { count: body.body.length, bases: bases.flatMap(({ expression }) => expression.name ?? []) },
    ]),
  );
}

interface Interface {
  readonly type: string;
  readonly id: { readonly name: string };
  readonly body: { readonly body: readonly unknown[] };
  readonly extends: readonly { readonly expression: { readonly name?: string } }[];
}

function namesOf(declaration: object | null): string[] {
  if (declaration === null) return [];
  const { id, declarations = [] } = declaration as { id?: Named | null; declarations?: readonly { id: Named }[] };
  return [id, ...declarations.map((each) => each.id)].flatMap((each) => each?.name ?? []);
}

interface Named {
  readonly name?: string;
}

function nameOf(exported: { readonly name: string } | { readonly value: string }): string {
  return 'name' in exported ? exported.name : exported.value;
}

function nodesIn(module: string): readonly Node[] {
  const found: Node[] = [];
  const visit = (value: unknown) => {
    if (typeof value !== 'object' || value === null) return;
    if (typeof (value as Node).type === 'string') found.push(value as Node);
    for (const each of Object.values(value)) visit(each);
  };
  visit(parseAst(module, { lang: 'ts' }));
  return found;
}
