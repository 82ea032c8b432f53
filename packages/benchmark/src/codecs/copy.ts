import type { Codec } from './codec.ts';

/** Copies bytes twice: into a message and out of it. Takes part where the value is bytes. */
export const copy: Codec = {
  name: 'copy',
  kind: 'reference',
  settings: 'bytes.slice() twice',
  encode: (value) => (value as Uint8Array).slice(),
  decode: (bytes: Uint8Array) => bytes.slice(),
};
