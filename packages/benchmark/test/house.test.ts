import { expect, test } from 'vitest';
import { house } from '../src/size/house.ts';

test('nothing of the library weighs more than it did, or its budget: npm run tool -- weigh', async () => {
  const rows = await house();
  const heavier = rows.filter(({ now, ceiling }) => now > ceiling);
  expect(heavier.map(({ what, now, ceiling }) => `${what}: ${now}, and at most ${ceiling}`)).toEqual([]);
  expect(rows.filter(({ now }) => !(now > 0))).toEqual([]);
});
