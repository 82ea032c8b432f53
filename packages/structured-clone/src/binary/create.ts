import type { DecodeOptions, EncodeOptions } from '../options.ts';
import { located } from '../path.ts';
import { RARE } from '../types/put-together-rare.ts';
import type { Decoder, Encoder } from './codec.ts';
import { createDecoderAsking } from './decoder.ts';
import { createEncoderAsking } from './encoder.ts';

/** Makes an encoder. */
export function createEncoder(options?: EncodeOptions): Encoder {
  return createEncoderAsking(() => located, options);
}

/** Makes a decoder. */
export function createDecoder(options?: DecodeOptions): Decoder {
  return createDecoderAsking(() => RARE, options);
}
