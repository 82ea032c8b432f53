import { expect, test } from 'vitest';
import { measureMotion } from '../../../packages/state/test/presence/measure.ts';

test('members that move get 20 frames a second, store nothing, and let the object hibernate', {
  timeout: 120_000,
}, async () => {
  const figures = await measureMotion({ members: 10, hertz: 40, seconds: 5 });
  // A machine that is busy sends fewer, and lets those arrive together that were sent apart.
  expect(figures.frames).toBeGreaterThan(5);
  expect(figures.frames).toBeLessThanOrEqual(20);
  expect(figures.seen).toBeGreaterThan(50);
  expect(figures.tables).toEqual([]);
  expect(figures.births).toEqual([1, 2]);
});
