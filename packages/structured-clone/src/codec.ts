import { fromBase64, toBase64 } from './core/base64.ts';
import { readText } from './core/decode.ts';
import { textOf } from './core/encode.ts';
import { fromMessage, type Message, toMessage } from './core/message.ts';
import type { DecodeOptions, EncodeOptions } from './core/options.ts';
import { located } from './core/path.ts';
import { allTypes } from './types/all.ts';

/**
 * Encodes a value as a message: text, or where it holds bytes, text and the bytes as they are.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function encode(value: unknown, options?: EncodeOptions): Message {
  const tail: Uint8Array[] = [];
  return toMessage(textOf(value, { types: allTypes(), tail, locate: located }, options), tail);
}

/**
 * Decodes what `encode` returned. The result shares no memory with the message.
 * @throws {CloneError} where the message is malformed, or passes a limit
 */
export function decode(message: string | Uint8Array | ArrayBuffer, options?: DecodeOptions): unknown {
  const { text, tail } = fromMessage(message instanceof ArrayBuffer ? new Uint8Array(message) : message);
  return readText(text, { types: allTypes(), tail }, options);
}

/**
 * Writes a value as text: JSON as it is where JSON can say the value, marked objects where it cannot.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function stringify(value: unknown, options?: EncodeOptions): string {
  return textOf(value, { types: allTypes(), base64: toBase64, locate: located }, options);
}

/**
 * Reads what `stringify` wrote; plain JSON reads as what it says.
 * @throws {CloneError} where the text is not JSON, marks are misused, or a limit is passed
 */
export function parse(text: string, options?: DecodeOptions): unknown {
  return readText(text, { types: allTypes(), base64: fromBase64 }, options);
}
