import { deserialize, serialize } from 'capnweb';
import type { Codec } from './codec.ts';

export const capnweb: Codec = {
  name: 'capnweb',
  kind: 'rival',
  settings: 'serialize, deserialize',
  encode: (value) => serialize(value),
  decode: (text: string) => deserialize(text),
};
