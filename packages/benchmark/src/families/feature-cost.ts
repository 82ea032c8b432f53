import type { Arm, Family, PlaceFindings, Report } from '../engine/plan.ts';
import type { Row } from '../engine/row.ts';
import { FEATURE_SCENARIOS } from '../scenarios/counter.ts';
import { ratioInterval, summarize } from '../statistics/summary.ts';
import { armsOf } from '../subjects/arms.ts';
import { FEATURE_NAMES, FEATURES, type Feature } from '../subjects/subject.ts';
import { workFamily } from './work.ts';

const US_PER_MS = 1000;
/** The minimum number of samples for a 99th percentile. */
const SAMPLES_FOR_P99 = 100;
const BASE = 'base';
/** `base` against itself. An effect found here comes from the method itself. */
const CONTROL: Arm<Feature> = { id: 'base-again', subject: BASE };
const ARMS: readonly Arm<Feature>[] = [...armsOf(...FEATURE_NAMES), CONTROL];
/** More rounds than there is time for, because blocks are short. */
const ROUNDS = 40;

/** Measures the cost that each feature of Lumenize RPC adds to a call. */
export const FEATURE_COST: Family = workFamily({
  name: 'feature-cost',
  about: 'what authentication, validation, rate limits, exactly-once and tracing add to a call, one at a time',
  configuration: [
    'increment(1) on a counter in SQLite, one call at a time and 100 in one turn; a fresh object and a fresh connection for each block',
    `Lumenize RPC with ${FEATURE_NAMES.map((name) => `${name} (${FEATURES[name]})`).join('; ')}`,
    'Each feature against the same calls without any, in the same launches. µs added: the median time of those by the ratio, and by the ends of its interval',
  ],
  plans: () => FEATURE_SCENARIOS.map(({ name }) => ({ scenario: name, arms: ARMS, rounds: ROUNDS, leading: 2 })),
  times: { budgetMs: 150_000, latestMs: 170_000, limitMs: 22_000 },
  compared: {
    control: CONTROL,
    pairs: FEATURE_NAMES.filter((name) => name !== BASE).map((subject) => ({ subject, baseline: BASE })),
  },
  always: BASE,
  more: featureCosts,
});

/**
 * Returns the µs that each feature adds to a call: the median time of `base`, multiplied by the ratio of the two, and
 * by the ends of its interval. `detail` has the times themselves. If launches have samples, it also has the ratio of
 * their p99 with its interval, in which each launch is one reading.
 */
export function featureCosts({ host, reports, rows, comparisons }: PlaceFindings): Row[] {
  const compared = comparisons.filter(({ subject, baseline }) => subject !== BASE && baseline === BASE);
  return compared.map(({ scenario, subject, ratio, ci95: [low, high], rounds }) => {
    const [ours, base] = [subject, BASE].map((arm) => {
      const { n = 0, summary, detail } = rows.find((row) => row.scenario === scenario && row.subject === arm)!;
      const { blockMedianMs, blockOperations } = detail!;
      const p99Us = n < SAMPLES_FOR_P99 ? undefined : US_PER_MS * summary!.p99;
      return { usPerCall: (US_PER_MS * blockMedianMs) / blockOperations, p99Us };
    });
    const added = (value: number) => base.usPerCall * (1 / value - 1);
    const p99Of = ({ blocks = [] }: Report, arm: string) => {
      const own = blocks.filter((each) => each.scenario === scenario && each.arm === arm);
      const samples = own.flatMap(({ samplesMs = [] }) => samplesMs);
      return samples.length < SAMPLES_FOR_P99 ? Number.NaN : summarize(samples).p99;
    };
    const ratios = reports.map((report) => p99Of(report, BASE) / p99Of(report, subject)).filter((p99) => p99 > 0);
    // One launch has no spread, and an interval without width would look like certainty.
    const p99 = ratios.length < 2 ? undefined : ratioInterval(ratios);
    return {
      ...{ family: 'feature-cost', scenario: `${scenario}/added`, subject, host, unit: 'us' },
      ...({ value: added(ratio), ci95: [added(high), added(low)], n: rounds } as const),
      detail: {
        ...{ usPerCall: ours.usPerCall, baseUsPerCall: base.usPerCall },
        ...(ours.p99Us && base.p99Us && { p99Us: ours.p99Us, baseP99Us: base.p99Us }),
        ...(p99 && { p99Ratio: p99.value, p99RatioLow: p99.ci95![0], p99RatioHigh: p99.ci95![1] }),
      },
    };
  });
}
