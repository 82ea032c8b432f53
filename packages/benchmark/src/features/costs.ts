import type { Random } from '@lumenize/hosts/random';
import { median } from 'simple-statistics';
import type { FigureResult } from '../families/figure-result.ts';
import type { HostName } from '../hosts/host.ts';
import type { Block } from '../load/plan.ts';
import { scenarioNamed } from '../scenarios/all.ts';
import { bootstrapMedian, type Interval } from '../statistics/bootstrap.ts';
import type { Comparison } from '../statistics/comparison.ts';
import { summarize } from '../statistics/summary.ts';

const US_PER_MS = 1000;
/** Of fewer samples, one in a hundred is none. */
const SAMPLES_FOR_P99 = 100;
const BASE = 'base';

/** Where the figures of a scenario's features are found in a run's file. */
export function costScenario(scenario: string): string {
  return `${scenario}/added`;
}

/**
 * What each feature adds to a call, in µs: the median time of `base` by what the ratio of the two says, and by what the ends of
 * its interval say. `detail` has the times themselves and, where launches have the samples, the ratio of their p99 with its
 * interval, in which a launch is one reading.
 */
export function featureCosts(
  host: HostName,
  launches: readonly (readonly Block[])[],
  comparisons: readonly Comparison[],
  random: Random,
): FigureResult[] {
  return comparisons
    .filter(({ subject, baseline }) => subject !== BASE && baseline === BASE)
    .map(({ scenario, subject, ratio, ci95: [low, high], rounds }): FigureResult => {
      const { operations } = scenarioNamed(scenario);
      const ofArm = (arm: string) =>
        launches.map((blocks) => blocks.filter((block) => block.scenario === scenario && block.arm === arm));
      const usPerCall = (blocks: readonly Block[]) =>
        (US_PER_MS * median(blocks.map(({ totalMs }) => totalMs))) / operations;
      const [ours, base] = [ofArm(subject), ofArm(BASE)];
      const baseUsPerCall = usPerCall(base.flat());
      const added = (value: number) => baseUsPerCall * (1 / value - 1);
      return {
        ...{ family: 'feature-cost', scenario: costScenario(scenario), subject, host },
        ...{ unit: 'us', value: added(ratio), ci95: [added(high), added(low)], n: rounds },
        detail: { usPerCall: usPerCall(ours.flat()), baseUsPerCall, ...p99Of(ours, base, random) },
      };
    });
}

function p99Of(
  ours: readonly (readonly Block[])[],
  base: readonly (readonly Block[])[],
  random: Random,
): Record<string, number> {
  const p99Ms = (blocks: readonly Block[]) => {
    const samples = blocks.flatMap(({ samplesMs }) => samplesMs);
    return samples.length < SAMPLES_FOR_P99 ? undefined : summarize(samples).p99;
  };
  const [p99, baseP99] = [p99Ms(ours.flat()), p99Ms(base.flat())];
  if (p99 === undefined || baseP99 === undefined) return {};
  const ratios = ours.flatMap((blocks, launch) => {
    const [here, baseHere] = [p99Ms(blocks), p99Ms(base[launch])];
    return here === undefined || baseHere === undefined ? [] : [[[baseHere / here]]];
  });
  const times = { p99Us: US_PER_MS * p99, baseP99Us: US_PER_MS * baseP99 };
  // One launch has no spread, and an interval without width would look like certainty.
  return ratios.length < 2 ? times : { ...times, ...named(bootstrapMedian(ratios, random)) };
}

function named({ ratio, ci95: [low, high] }: Interval): Record<string, number> {
  return { p99Ratio: ratio, p99RatioLow: low, p99RatioHigh: high };
}
