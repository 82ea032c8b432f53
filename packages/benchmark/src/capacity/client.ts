// The load generator: a process of its own.
import '@transformation-dev/debug';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { answerPlan } from '../load/answer-plan.ts';
import { climb } from './climb.ts';
import type { CapacityPlan, CapacityReport, LadderReport } from './plan.ts';

const NS_PER_MS = 1e6;
const DELAY_RESOLUTION_MS = 10;

answerPlan(launch);

async function launch(plan: CapacityPlan, onProgress: (ladders: number) => void): Promise<CapacityReport> {
  const random = seededRandom(plan.seed);
  const begun = performance.now();
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  const idleBefore = performance.eventLoopUtilization();
  delays.enable();
  const ladders: LadderReport[] = [];
  for (let repeat = 0; repeat < plan.repeats; repeat++) {
    const before = [...ladders];
    for (const cell of shuffled(plan.cells, random)) {
      if (repeat > 0 && performance.now() - begun > plan.limitMs) break;
      ladders.push(...(await climb(plan, { cell, repeat, before }, random)));
      onProgress(ladders.length);
    }
  }
  delays.disable();
  // The histogram holds intervals between timer events: what is above the resolution is lateness.
  const lateMs = (ns: number) => Math.max(0, ns / NS_PER_MS - DELAY_RESOLUTION_MS);
  const client = {
    utilization: performance.eventLoopUtilization(idleBefore).utilization,
    delayP99Ms: lateMs(delays.percentile(99)),
    delayMaxMs: lateMs(delays.max),
  };
  return { ladders, client };
}
