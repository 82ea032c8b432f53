import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ADVISORIES } from '../../hostile/advisories.ts';
import { ATTACKS } from '../../hostile/attacks.ts';
import { serveHostileWorker } from '../../hostile/serve.ts';
import { storm } from '../../hostile/storm.ts';
import { Victim } from '../../hostile/victim.ts';
import type { ServedWorker } from '../../support/workerd.ts';

let worker: ServedWorker;
beforeAll(async () => {
  worker = await serveHostileWorker();
});
afterAll(() => worker?.[Symbol.asyncDispose]());

describe.each(ADVISORIES)('what was done to $where ($published), tried in workerd', ({ where }) => {
  let victim: Victim;
  beforeAll(() => {
    victim = new Victim(worker);
  });
  afterAll(() => victim[Symbol.dispose]());

  test.each(ATTACKS.get(where)!)('$name', { timeout: 60_000 }, ({ run }) => victim.survives(() => run(victim)));
});

test('every advisory is tried', () => {
  expect([...ATTACKS].filter(([, attacks]) => attacks.length === 0)).toEqual([]);
});

test('mutated frames of all kinds leave a client beside them served and correct, and memory bounded', {
  timeout: 120_000,
}, async () => {
  const { frames, tenths, end } = await storm(worker, { seconds: 5, rate: 10_000, seed: 1, atLeast: 10_000 });
  const calls = tenths.reduce((sum, tenth) => sum + tenth.calls, 0);
  expect(tenths.flatMap(({ wrong }) => wrong)).toEqual([]);
  expect(calls).toBeGreaterThan(0);
  // Whatever the machine: it was a storm.
  expect(frames).toBeGreaterThanOrEqual(10_000);
  // A connection that left a kilobyte for each of its frames would show.
  expect(end.heapBytes).toBeLessThan(30_000_000);
});
