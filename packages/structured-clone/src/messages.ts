// The whole codec in one module: everything that `index.ts` exports, and the functions with which protocols put several
// values into one message.

export { decode, encode, parse, stringify } from './codec.ts';
export { CloneError, type CloneErrorCode } from './core/clone-error.ts';
export { checkUsed, isMarked, type Reading, Reviver, readText, readTree } from './core/decode.ts';
export { textOf, type Writing } from './core/encode.ts';
export { toJson } from './core/json.ts';
export type { Limits } from './core/limits.ts';
export { countOpened, resolveLimits } from './core/limits.ts';
export { fromMessage, type Message, toMessage } from './core/message.ts';
export type { Bodies, DecodeOptions, EncodeOptions, Extension } from './core/options.ts';
export { located } from './core/path.ts';
export { readBodies } from './read-bodies.ts';
export { allTypes } from './types/all.ts';
export { common } from './types/common.ts';
export { createTypes, type Types } from './types/find.ts';
export { type ClassCodec, register, registered } from './types/registered.ts';
export type { DecodeContext, EncodeContext, Row } from './types/row.ts';
export { web } from './types/web.ts';
