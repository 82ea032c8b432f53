import { deserialize, serialize } from 'node:v8';
import type { Codec } from './codec.ts';

/** V8's own form of structured clones, which only Node offers. */
export const v8: Codec = {
  name: 'v8',
  kind: 'native',
  settings: 'serialize, deserialize of node:v8',
  encode: (value) => serialize(value),
  decode: (bytes: Uint8Array) => deserialize(bytes),
};
