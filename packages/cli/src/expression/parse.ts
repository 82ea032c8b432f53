import { type Expression, parseExpressionAt, type SpreadElement, type Super } from 'acorn';
import { printable } from '../printable.ts';
import { UsageError } from '../usage-error.ts';

/** A part of an expression, as returned by the parser. */
export type Part = Expression | SpreadElement | Super | null;

/** Parses a whole text as one JavaScript expression. Returns undefined if it is not one. */
export function tryParse(text: string): Expression | undefined {
  try {
    const expression = parseExpressionAt(text, 0, { ecmaVersion: 'latest' });
    return text.slice(expression.end).trim() === '' ? expression : undefined;
  } catch {
    return undefined;
  }
}

/**
 * Checks that an expression that is a call is not given further arguments.
 * @throws {UsageError} if it is
 */
export function refuseTwice(expression: Expression, text: string, args: readonly unknown[]): void {
  if (expression.type !== 'CallExpression' || args.length === 0) return;
  throw new UsageError(`${text} has its arguments: what are ${args.map((value) => printable(value)).join(', ')} for?`);
}

/**
 * Parses a whole text as one JavaScript expression.
 * @throws {UsageError} if it is not one
 */
export function parse(text: string): Expression {
  const expression = tryParse(text);
  if (expression === undefined)
    throw new UsageError(`${JSON.stringify(text)} is no expression, such as getValue or user("ada").name`);
  return expression;
}
