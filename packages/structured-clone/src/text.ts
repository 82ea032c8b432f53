import { fromBase64, toBase64 } from './core/base64.ts';
import { readText } from './core/decode.ts';
import { textOf } from './core/encode.ts';
import type { DecodeOptions, EncodeOptions } from './core/options.ts';
import { located } from './core/path.ts';
import { ALL } from './types/all.ts';

const WRITING = { types: ALL, base64: toBase64, locate: located };
const READING = { types: ALL, base64: fromBase64 };

/**
 * Writes a value as text: JSON as it is where JSON can say the value, marked objects where it cannot.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function stringify(value: unknown, options?: EncodeOptions): string {
  return textOf(value, WRITING, options);
}

/**
 * Reads what `stringify` wrote; plain JSON reads as what it says.
 * @throws {CloneError} where the text is not JSON, marks are misused, or a limit is passed
 */
export function parse(text: string, options?: DecodeOptions): unknown {
  return readText(text, READING, options);
}
