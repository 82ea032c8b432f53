import type { Scenario } from '../scenarios/scenario.ts';
import { isSteady } from '../statistics/steady.ts';
import { SUBJECTS } from '../subjects/all.ts';
import { Unavailable } from '../subjects/unavailable.ts';
import { runBlock } from './block.ts';
import type { ObjectNames } from './object-names.ts';
import type { Arm, WarmUp } from './plan.ts';

const MAX_BLOCKS = 40;

/**
 * Runs the untimed `work` of every arm, in turn, until all are steady or have had `MAX_BLOCKS` blocks. One that is not
 * available is left out: its scenarios say so. After `limitMs` no further block is begun but each arm's first.
 */
export async function warmUp(
  work: Scenario,
  url: string,
  arms: readonly Arm[],
  instanceOf: ObjectNames,
  limitMs = Number.POSITIVE_INFINITY,
): Promise<WarmUp[]> {
  const start = performance.now();
  const times = new Map<string, number[]>(arms.map(({ id }) => [id, []]));
  const finished = new Map<string, WarmUp>();
  const open = new Set(arms);
  while (open.size > 0) {
    for (const arm of open) {
      const blocks = times.get(arm.id)!;
      try {
        blocks.push((await runBlock(work, SUBJECTS[arm.subject], url, instanceOf(arm, true))).totalMs);
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        open.delete(arm);
        continue;
      }
      const steady = isSteady(blocks);
      if (steady || blocks.length >= MAX_BLOCKS || performance.now() - start > limitMs) {
        finished.set(arm.id, { arm: arm.id, blocks: blocks.length, ms: performance.now() - start, steady });
        open.delete(arm);
      }
    }
  }
  return [...finished.values()];
}
