import type { BlockFindings, TimeResult, UnavailableResult } from '../blocks/record.ts';
import type { FigureResult } from '../families/figure-result.ts';
import { timeResults } from '../run-record.ts';

/** What a call may take at the 99th percentile. */
export const OBJECTIVE_P99_MS = 10;

/** The scenario of what is found here. */
export const MOST_WITHIN = `throughput/p99-below-${OBJECTIVE_P99_MS}ms`;

/**
 * Returns for each subject and host the most calls per second at which the 99th percentile was below the objective, of
 * all numbers of calls in flight that were measured; or that it was below it at none.
 */
export function mostWithinObjective(found: BlockFindings): (FigureResult | UnavailableResult)[] {
  const groups = Map.groupBy(timeResults(found), ({ subject, host }) => `${subject}\n${host}`);
  return [...groups.values()].map((results) => {
    const { subject, host } = results[0];
    const row = { family: 'throughput', scenario: MOST_WITHIN, subject, host } as const;
    const within = results.filter(({ p99 }) => p99 < OBJECTIVE_P99_MS);
    if (within.length === 0) {
      return { ...row, unavailable: `its p99 was ${OBJECTIVE_P99_MS} ms or more with every number of calls in flight` };
    }
    const best = within.reduce((a, b) => (b.opsPerSecond > a.opsPerSecond ? b : a));
    return { ...row, unit: 'calls/s', value: best.opsPerSecond, n: best.n, detail: detailOf(best) };
  });
}

function detailOf({ scenario, p50, p75, p95, p99 }: TimeResult): Record<string, number> {
  const [, connections, inFlight] = /(\d+)x(\d+)$/.exec(scenario)!;
  return {
    connections: Number(connections),
    callsInFlightPerConnection: Number(inFlight),
    p50Ms: p50,
    p75Ms: p75,
    p95Ms: p95,
    p99Ms: p99,
  };
}
