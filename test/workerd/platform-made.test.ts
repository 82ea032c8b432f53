import { decode, encode, readBodies } from '@lumenize/structured-clone';
import { expect, test } from 'vitest';
import { contentOf, PLATFORM_MADE } from '../../packages/structured-clone/test/platform-made.ts';

test.each(Object.entries(PLATFORM_MADE))('%s arrives as it left', async (_name, make) => {
  const value = await make();
  const bodies = await readBodies([value]);
  const [copy] = decode(encode([value], { bodies })) as [object];
  expect(await contentOf(copy)).toEqual(await contentOf(value));
});
