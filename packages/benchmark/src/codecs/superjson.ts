import { parse, stringify } from 'superjson';
import type { Codec } from './codec.ts';

export const superjson: Codec = {
  name: 'superjson',
  kind: 'rival',
  settings: 'stringify, parse',
  encode: (value) => stringify(value),
  decode: (text: string) => parse(text),
};
