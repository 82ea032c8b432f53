import type { Scenario } from '../scenarios/scenario.ts';
import { mixedSequential } from '../scenarios/sequential.ts';
import { isSteady } from '../statistics/steady.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { runBlock } from './block.ts';
import type { ObjectNames } from './object-names.ts';
import type { Arm, WarmUp } from './plan.ts';

const MAX_BLOCKS = 40;

const CALLS = mixedSequential('warm-up', 15);
const BURST_CALLS = 25;

/** Calls one at a time, by whose times steadiness is judged, and then a burst. */
const WORK: Scenario = {
  ...CALLS,
  increments: CALLS.increments + BURST_CALLS,
  async measure(bench, samplesMs) {
    const totalMs = await CALLS.measure(bench, samplesMs);
    await bench.connection.incrementInOneTurn(BURST_CALLS);
    return totalMs;
  },
};

/** Runs untimed work of every arm, in turn, until all are steady or have had `MAX_BLOCKS` blocks. */
export async function warmUp(url: string, arms: readonly Arm[], instanceOf: ObjectNames): Promise<WarmUp[]> {
  const start = performance.now();
  const times = new Map<string, number[]>(arms.map(({ id }) => [id, []]));
  const finished = new Map<string, WarmUp>();
  while (finished.size < arms.length) {
    for (const arm of arms) {
      if (finished.has(arm.id)) continue;
      const blocks = times.get(arm.id)!;
      const { totalMs } = await runBlock(WORK, SUBJECTS[arm.subject], url, instanceOf(arm, true));
      blocks.push(totalMs);
      const steady = isSteady(blocks);
      if (steady || blocks.length >= MAX_BLOCKS) {
        finished.set(arm.id, { arm: arm.id, blocks: blocks.length, ms: performance.now() - start, steady });
      }
    }
  }
  return [...finished.values()];
}
