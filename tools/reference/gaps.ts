import ts from 'typescript';
import { docstringOf } from './docstring.ts';
import type { Entry } from './entries.ts';
import { membersOf } from './members.ts';
import type { Export } from './program.ts';

const IS_MEASURED = /(timeout|delay|interval|duration|wait|size)/i;
const HAS_UNIT = /Ms|Bytes|PerSecond|seconds|bytes/;

/** Interfaces that others have defined, as far as they are needed here: what their members mean is to be read there. */
const DEFINED_ELSEWHERE: ReadonlySet<string> = new Set([
  'CallLogger',
  'Fetches',
  'OpenTelemetry',
  'PortLike',
  'SocketLike',
  'SpanIdentity',
  'SpanTracer',
  'StandardSchema',
  'TracedSpan',
  'WorkersSpan',
]);

/** Finds what of an export the house rules want said and is not: of everything a sentence, units of amounts, and what is thrown. */
export function gapsOf({ specifier }: Entry, { name, symbol }: Export, checker: ts.TypeChecker): string[] {
  const declarations = symbol.declarations!;
  const docstring = docstringOf(declarations);
  const members = declarations.flatMap((declaration) => membersOf(declaration, checker));
  const where = `${specifier} ${name}`;
  return [
    ...(docstring.text === '' ? [`${where}: no docstring`] : []),
    ...(docstring.throws.length === 0 && declarations.some(throwsItself) ? [`${where}: no @throws`] : []),
    ...(DEFINED_ELSEWHERE.has(name) ? [] : members).flatMap(({ name, signature, docstring, declaration }) => {
      const missing = [
        ...(docstring.text === '' ? ['no docstring'] : []),
        ...(docstring.throws.length === 0 && throwsItself(declaration) ? ['no @throws'] : []),
        ...(/: number\b/.test(signature) && IS_MEASURED.test(name) && !HAS_UNIT.test(`${name} ${docstring.text}`)
          ? ['no unit']
          : []),
      ];
      return missing.map((what) => `${where}.${name}: ${what}`);
    }),
  ];
}

/** Whether the body of a function has a `throw` of its own; what others throw for it is theirs to say. */
function throwsItself(declaration: ts.Node): boolean {
  const { body } = declaration as ts.FunctionDeclaration;
  if (!ts.isFunctionLike(declaration) || body === undefined) return false;
  const visit = (node: ts.Node): boolean =>
    (ts.isThrowStatement(node) && !isCaught(node, body)) ||
    (!ts.isFunctionLike(node) && ts.forEachChild(node, visit) === true);
  return ts.forEachChild(body, visit) === true;
}

function isCaught(node: ts.Node, body: ts.Node): boolean {
  for (let each = node; each !== body; each = each.parent) {
    if (ts.isTryStatement(each.parent) && each === each.parent.tryBlock && each.parent.catchClause) return true;
  }
  return false;
}
