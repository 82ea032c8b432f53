export { CloneError, type CloneErrorCode } from './clone-error.ts';
export { type DecodeOptions, decode, type EncodeOptions, encode, parse, stringify } from './codec.ts';
export type { Limits } from './limits.ts';
export type { Message } from './message.ts';
export { readBodies } from './read-bodies.ts';
export { type ClassCodec, register } from './registered.ts';
export type { Bodies, Extension } from './write.ts';
