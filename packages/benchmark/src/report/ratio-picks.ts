import type { Place } from '../hosts/host.ts';
import type { RecordedComparison, RecordedRun } from '../recorded/recorded-run.ts';
import type { Comparison } from '../statistics/comparison.ts';

/** What Lumenize RPC is drawn against, in the order in which a scenario shows them. */
export const BASELINES = ['capnweb', 'capnweb-plain', 'raw', 'raw-plain', 'raw-one-frame'] as const;

/** The ratios of one scenario, one a baseline. */
export interface ScenarioRatios {
  readonly scenario: string;
  readonly comparisons: readonly RecordedComparison[];
}

/**
 * Returns the ratios of Lumenize RPC over hibernating sockets on workerd in the scenarios that `isWanted`, the scenario
 * with the highest against Cap'n Web first.
 */
export function scenarioRatios(
  run: RecordedRun,
  isWanted: (scenario: string) => boolean = () => true,
): ScenarioRatios[] {
  const drawn = run.comparisons.filter(
    ({ host, subject, scenario }) => host === 'workerd' && subject === 'lumenize' && isWanted(scenario),
  );
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
