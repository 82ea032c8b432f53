import type { Place } from '../hosts/host.ts';
import type { RunRecord } from '../run-record.ts';
import type { Comparison } from '../statistics/comparison.ts';

/** What Lumenize RPC is drawn against, in the order in which a scenario shows them. */
export const BASELINES = ['capnweb', 'raw', 'raw-one-frame'] as const;

/** The ratios of one scenario, one a baseline. */
export interface ScenarioRatios {
  readonly scenario: string;
  readonly comparisons: readonly Comparison<Place>[];
}

/**
 * Returns the ratios of Lumenize RPC over hibernating sockets on workerd, the scenario with the highest against
 * Cap'n Web first.
 */
export function scenarioRatios(run: RunRecord): ScenarioRatios[] {
  const drawn = run.comparisons.filter(({ host, subject }) => host === 'workerd' && subject === 'lumenize');
  return [...new Set(drawn.map(({ scenario }) => scenario))]
    .map((scenario) => {
      const own = drawn.filter((each) => each.scenario === scenario);
      return {
        scenario,
        comparisons: BASELINES.flatMap((name) => own.find(({ baseline }) => baseline === name) ?? []),
      };
    })
    .filter(({ comparisons }) => comparisons.length > 0)
    .toSorted((a, b) => b.comparisons[0].ratio - a.comparisons[0].ratio);
}

/** Says whether a comparison carries a verdict; without one, a dot is hollow. */
export function isTold({ verdict }: Comparison<Place>): boolean {
  return verdict === 'faster' || verdict === 'slower';
}

const COARSE = [0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1000];
const FINE = [...COARSE, 0.3, 0.7, 1.5, 3, 30, 300].toSorted((a, b) => a - b);
/** So many px for a factor of ten are enough for all of `FINE`. */
const ROOM_FOR_FINE = 100;

/** Returns where a logarithmic axis between two ratios has ticks, as many as its length in px has room for. */
export function ratioTicks(low: number, high: number, length: number): number[] {
  const ticks = length / Math.log10(high / low) > ROOM_FOR_FINE ? FINE : COARSE;
  return ticks.filter((tick) => tick >= low && tick <= high);
}
