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
