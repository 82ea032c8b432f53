import { parse, stringify } from 'devalue';
import type { Codec } from './codec.ts';

export const devalue: Codec = {
  name: 'devalue',
  kind: 'rival',
  settings: 'stringify, parse',
  encode: (value) => stringify(value),
  decode: (text: string) => parse(text),
};
