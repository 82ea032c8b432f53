import { literalOf, NotLiteral } from './literal.ts';
import { tryParse } from './parse.ts';

/**
 * Reads an argument as it is written in a shell. It is a JavaScript value if it can be read as one, and text otherwise:
 * `5` is a number, `'"5"'` is text, and `hello world` needs no second pair of quotes.
 */
export function readArgument(text: string): unknown {
  const expression = tryParse(text);
  if (expression === undefined) return text;
  try {
    return literalOf(expression);
  } catch (error) {
    if (error instanceof NotLiteral) return text;
    throw error;
  }
}
