// `createEncoder` and `createDecoder` are for protocols that put several values into one message.

export type { Decoder, Encoder } from './binary/codec.ts';
export { createDecoder } from './binary/decoder.ts';
export { createEncoder } from './binary/encoder.ts';
export { decode, encode } from './binary/index.ts';
export type { TypeName } from './binary/types/type-names.ts';
export { CloneError, type CloneErrorCode } from './core/clone-error.ts';
export type { Limits } from './core/limits.ts';
export type { Bodies, DecodeOptions, EncodeOptions, Extension } from './core/options.ts';
export { readBodies } from './read-bodies.ts';
export { parse, stringify } from './text.ts';
export { type ClassCodec, register } from './types/registered.ts';
