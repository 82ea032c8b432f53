// What frames become: texts, with bytes behind them. Protocols compose it with the types that they carry.

import { readText } from './core/decode.ts';
import { textOf } from './core/encode.ts';
import { fromMessage, type Message, toMessage } from './core/message.ts';
import type { DecodeOptions, EncodeOptions } from './core/options.ts';
import { located } from './core/path.ts';
import { ALL } from './types/all.ts';

export { checkUsed, isMarked, type Reading, Reviver, readText, readTree } from './core/decode.ts';
export { textOf, type Writing } from './core/encode.ts';
export { resolveLimits } from './core/limits.ts';
export { fromMessage, type Message, toMessage } from './core/message.ts';
export { located } from './core/path.ts';
export { common } from './types/common.ts';
export { createTypes, type Types } from './types/find.ts';
export { registered } from './types/registered.ts';
export type { From, Row, To } from './types/row.ts';
export { web } from './types/web.ts';

/**
 * Encodes a value as a message: text, or where it holds bytes, text and the bytes as they are.
 * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
 */
export function encode(value: unknown, options?: EncodeOptions): Message {
  const tail: Uint8Array[] = [];
  return toMessage(textOf(value, { types: ALL, tail, locate: located }, options), tail);
}

/**
 * Decodes what `encode` returned. The result shares no memory with the message.
 * @throws {CloneError} where the message is malformed, or passes a limit
 */
export function decode(message: string | Uint8Array, options?: DecodeOptions): unknown {
  const { text, tail } = fromMessage(message);
  return readText(text, { types: ALL, tail }, options);
}
