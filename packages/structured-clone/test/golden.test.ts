import { parse, stringify } from '@lumenize/structured-clone';
import { expect, test } from 'vitest';
import { GOLDEN } from './golden-vectors.ts';

test.each(GOLDEN)('$name has the text it always had', ({ make, text }) => {
  expect(stringify(make())).toBe(text);
  expect(parse(text)).toStrictEqual(make());
});
