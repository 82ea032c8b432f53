import { decode, encode } from '@lumenize/structured-clone';
import type { Codec } from './codec.ts';

/** The form of frames: compact bytes. */
export const lumenize: Codec = {
  name: 'lumenize',
  kind: 'ours',
  settings: 'encode, decode',
  encode: (value) => encode(value),
  decode: (bytes: Uint8Array) => decode(bytes),
};
