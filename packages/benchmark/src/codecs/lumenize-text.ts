import { parse, stringify } from '@lumenize/structured-clone';
import type { Codec } from './codec.ts';

/** The form of storage and logs: JSON with marks. */
export const lumenizeText: Codec = {
  name: 'lumenize-text',
  kind: 'ours',
  settings: 'stringify, parse',
  encode: (value) => stringify(value),
  decode: (text: string) => parse(text),
};
