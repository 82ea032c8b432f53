import { fromJSON, type SerovalJSON, toJSON } from 'seroval';
import type { Codec } from './codec.ts';

/** Its form as JSON: the other one is a program, which Workers and strict pages do not run. */
export const seroval: Codec = {
  name: 'seroval',
  kind: 'rival',
  settings: 'JSON.stringify of toJSON, fromJSON of JSON.parse',
  encode: (value) => JSON.stringify(toJSON(value)),
  decode: (text: string) => fromJSON(JSON.parse(text) as SerovalJSON),
};
