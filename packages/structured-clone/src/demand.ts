// For clients that are to be small: an encoder and a decoder that ask for what few values need, which is in `./supply`.
export type { Locate } from './binary/codec.ts';
export { createDecoderAsking } from './binary/decoder.ts';
export { createEncoderAsking } from './binary/encoder.ts';
export { CloneError } from './clone-error.ts';
export type { PutTogether } from './types/put-together.ts';
