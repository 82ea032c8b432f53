// What protocols use to put values into messages of their own, and everything that `index.ts` exports.

export { CloneError, type CloneErrorCode } from './clone-error.ts';
export { type DecodeOptions, decode, type EncodeOptions, encode, parse, stringify } from './codec.ts';
export { checkText, type Limits, resolveLimits } from './limits.ts';
export { fromMessage, type Message, toMessage } from './message.ts';
export { type Reading, read } from './read.ts';
export { readBodies } from './read-bodies.ts';
export { type ClassCodec, register } from './registered.ts';
export { common } from './types/common.ts';
export { all } from './types/web.ts';
export type { Types } from './types.ts';
export { type Bodies, type Extension, isMarked, type Writing, write } from './write.ts';
