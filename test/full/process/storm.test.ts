import { expect, test } from 'vitest';
import { serveHostileWorker } from '../../hostile/serve.ts';
import { storm } from '../../hostile/storm.ts';

test('mutated frames of all kinds leave a client beside them served and correct, and memory bounded', {
  timeout: 120_000,
}, async () => {
  await using worker = await serveHostileWorker();
  const { frames, tenths, end } = await storm(worker, { seconds: 5, rate: 10_000, seed: 1, atLeast: 10_000 });
  const calls = tenths.reduce((sum, tenth) => sum + tenth.calls, 0);
  expect(tenths.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(calls).toBeGreaterThan(0);
  // Whatever the machine: it was a storm.
  expect(frames).toBeGreaterThanOrEqual(10_000);
  // A connection that left a kilobyte for each of its frames would show.
  expect(end.heapBytes).toBeLessThan(30_000_000);
});
