import type { Codec } from './codec.ts';

/** What everyone has. */
export const json: Codec = {
  name: 'JSON',
  kind: 'json',
  settings: 'JSON.stringify, JSON.parse',
  encode(value) {
    const text: string | undefined = JSON.stringify(value);
    // It returns undefined where there is nothing to write: of undefined itself, of functions and of symbols.
    if (text === undefined) throw new TypeError('JSON has no text for it');
    return text;
  },
  decode: (text: string) => JSON.parse(text),
};
