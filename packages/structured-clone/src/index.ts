// `createEncoder` and `createDecoder` are for protocols that put several values into one message.

export type { Decoder, Encoder } from './binary/codec.ts';
export { createDecoder } from './binary/decoder.ts';
export { createEncoder } from './binary/encoder.ts';
export { decode, encode } from './binary/index.ts';
export { CloneError, type CloneErrorCode } from './clone-error.ts';
export type { Limits } from './limits.ts';
export type { Bodies, DecodeOptions, EncodeOptions, Extension } from './options.ts';
export { readBodies } from './read-bodies.ts';
export { type ClassCodec, register } from './registry.ts';
export { parse } from './text/parse.ts';
export { stringify } from './text/stringify.ts';
export type { TypeName } from './types/type-names.ts';
