import { fromBase64, toBase64 } from './core/base64.ts';
import { readText } from './core/decode.ts';
import { textOf } from './core/encode.ts';
import { fromMessage, type Message, toMessage } from './core/message.ts';
import type { DecodeOptions, EncodeOptions } from './core/options.ts';
import { located } from './core/path.ts';
import { allTypes } from './types/all.ts';

/**
 * Encodes a value as a message. The message is text; if the value holds bytes, it is binary: the text, followed by the
 * bytes as they are.
 * @throws {CloneError} if the value holds something that cannot be cloned, with the path to it
 */
export function encode(value: unknown, options?: EncodeOptions): Message {
  const tail: Uint8Array[] = [];
  const text = textOf(value, { types: allTypes(), tail, locate: located }, options);
  return tail.length === 0 ? text : toMessage(text, tail);
}

/**
 * Decodes a message that `encode` returned. The result shares no memory with the message.
 * @throws {CloneError} if the message is malformed or exceeds a limit
 */
export function decode(message: string | Uint8Array | ArrayBuffer, options?: DecodeOptions): unknown {
  if (typeof message === 'string') return readText(message, { types: allTypes() }, options);
  const { text, tail } = fromMessage(message instanceof ArrayBuffer ? new Uint8Array(message) : message);
  return readText(text, { types: allTypes(), tail }, options);
}

/**
 * Encodes a value as text: plain JSON if JSON can represent the value, and JSON with marked objects otherwise.
 * @throws {CloneError} if the value holds something that cannot be cloned, with the path to it
 */
export function stringify(value: unknown, options?: EncodeOptions): string {
  return textOf(value, { types: allTypes(), base64: toBase64, locate: located }, options);
}

/**
 * Decodes a text that `stringify` returned. Plain JSON decodes to the value it represents.
 * @throws {CloneError} if the text is not JSON, misuses marks, or exceeds a limit
 */
export function parse(text: string, options?: DecodeOptions): unknown {
  return readText(text, { types: allTypes(), base64: fromBase64 }, options);
}
