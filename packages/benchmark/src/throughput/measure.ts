import type { BlockFindings } from '../blocks/record.ts';
import { runBlocks } from '../blocks/run-blocks.ts';
import type { FamilyContext, FamilyFindings } from '../families/family.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { mostWithinObjective } from './most-within.ts';
import { throughputProfile } from './profile.ts';

/** What the measurement of throughput found: blocks, and what they say of the objective. */
export interface ThroughputFindings extends FamilyFindings {
  readonly launches: BlockFindings['launches'];
  readonly comparisons: BlockFindings['comparisons'];
  readonly results: readonly (BlockFindings['results'][number] | FigureResult)[];
}

/** Measures throughput in a closed loop. */
export async function measureThroughput(context: FamilyContext): Promise<ThroughputFindings> {
  const found = await runBlocks(throughputProfile(context), context.seed, context.progress);
  return { ...found, results: [...found.results, ...mostWithinObjective(found)] };
}
