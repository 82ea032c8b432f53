export { decode, encode, parse, stringify } from './codec.ts';
export { CloneError, type CloneErrorCode } from './core/clone-error.ts';
export type { Limits } from './core/limits.ts';
export type { Message } from './core/message.ts';
export type { Bodies, DecodeOptions, EncodeOptions, Extension } from './core/options.ts';
export { readBodies } from './read-bodies.ts';
export { type ClassCodec, register } from './types/registered.ts';
