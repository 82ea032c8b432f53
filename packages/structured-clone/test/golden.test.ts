import { decode, encode, parse, stringify } from '@lumenize/structured-clone';
import { expect, test } from 'vitest';
import { GOLDEN } from './golden-vectors.ts';

test.each(GOLDEN)('$name has the bytes and the text it always had', ({ make, bytes, text }) => {
  expect(Buffer.from(encode(make())).toString('hex')).toBe(bytes.replaceAll(' ', ''));
  expect(decode(Uint8Array.from(Buffer.from(bytes.replaceAll(' ', ''), 'hex')))).toStrictEqual(make());
  expect(stringify(make())).toBe(text);
  expect(parse(text)).toStrictEqual(make());
});
