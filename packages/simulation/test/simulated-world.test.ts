import { describe, expect, test } from 'vitest';
import type { Ran } from './checks/same-trace.ts';
import { runScript } from './run-checks.ts';

describe('a simulated world', () => {
  test('runs the library over its network: calls survive a crash of the object, and nothing is left', async () => {
    const [{ outcomes, left }] = await runScript<Ran[]>('checks/same-trace.ts', '1');
    expect(outcomes).toEqual([1, 2, 2, 3, 'OUTCOME_UNKNOWN']);
    expect(left).toEqual([]);
  });

  test('has the same trace for the same seed, also after other worlds and in another process', async () => {
    const seeds = ['7', '7', '8', '9', '7'];
    const run = async (order: string[]) =>
      (await runScript<Ran[]>('checks/same-trace.ts', ...order)).map(({ traceHash }) => traceHash);
    const [here, there] = await Promise.all([run(seeds), run(seeds.toReversed())]);
    expect(there.reverse()).toEqual(here);
    expect([here[1], here[4]]).toEqual([here[0], here[0]]);
    expect(new Set(here).size).toBe(3);
  });
});
