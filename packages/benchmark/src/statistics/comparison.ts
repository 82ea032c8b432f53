import type { HostName, Place } from '@lumenize/hosts/host';
import type { Random } from '@lumenize/hosts/random';
import jstat from 'jstat';
import { mean, median, quantile, quickselect, sampleVariance } from 'simple-statistics';

/** Half of a pair: the time of one arm's turn, or of one operation in it, and the position of the turn. */
export interface TimedBlock {
  readonly scenario: string;
  readonly arm: string;
  readonly round: number;
  readonly pass: 0 | 1;
  readonly totalMs: number;
}

/** The verdict on a subject against a baseline. */
export type Verdict = 'faster' | 'slower' | 'no difference shown' | 'no conclusion';

/** Effects up to this size cannot be distinguished from those of the method itself. */
export const SMALLEST_EFFECT = 0.03;

/** A ratio of one scenario on one host. `ratio` is baseline time over subject time: above 1, the subject is faster. */
export interface Comparison<Host extends Place = HostName> {
  readonly scenario: string;
  readonly host: Host;
  readonly subject: string;
  /** The baseline. In the A/A comparison it is the subject itself. */
  readonly baseline: string;
  readonly ratio: number;
  readonly ci95: readonly [number, number];
  readonly verdict: Verdict;
  readonly launches: number;
  /**
   * The number of rounds of all launches. A mirrored round gives two ratios, which are not independent of each other.
   */
  readonly rounds: number;
}

/** The minimum number of launches for a verdict. Fewer launches are no replication, whatever the interval is. */
export const LAUNCHES_FOR_VERDICT = 3;
/**
 * The minimum number of rounds for a verdict. The range of five values contains the true median with a probability
 * below 95 %, so no interval within it can reach 95 %.
 */
const ROUNDS_FOR_VERDICT = 6;

/** A subject and its baseline, by the ids of their arms. */
export interface Pair {
  readonly subject: string;
  readonly baseline: string;
}

/** The arms to compare. */
export interface Compared<Subject extends string = string> {
  readonly pairs: readonly Pair[];
  /** The A/A arm: a subject that takes part under a second id. */
  readonly control: { readonly id: string; readonly subject: Subject };
}

/**
 * Compares the arms in one place, scenario by scenario. If the A/A arm differs from its subject, no conclusion is
 * drawn. A pair is left out if one of its arms did not take part.
 */
export function compare<Host extends Place>(
  host: Host,
  launches: readonly (readonly TimedBlock[])[],
  scenarios: readonly string[],
  random: Random,
  { pairs, control: again }: Compared,
): Comparison<Host>[] {
  return scenarios.flatMap((scenario) => {
    const ratioOf = (subject: string, baseline: string, name = baseline): Comparison<Host>[] => {
      const ratios = pairedRatios(launches, scenario, subject, baseline).filter((rounds) => rounds.length > 0);
      // One pair has no spread, and an interval without width would look like certainty.
      if (ratios.flat(2).length < 2) return [];
      const interval = bootstrapMedian(ratios, random);
      const counts = { launches: ratios.length, rounds: ratios.flat().length };
      const enough = counts.launches >= LAUNCHES_FOR_VERDICT && counts.rounds >= ROUNDS_FOR_VERDICT;
      const verdict = enough ? verdictOf(interval) : 'no conclusion';
      return [{ scenario, host, subject, baseline: name, ...interval, verdict, ...counts }];
    };
    const control = ratioOf(again.subject, again.id, again.subject);
    const open = control.some(isBrokenControl) && { verdict: 'no conclusion' as const };
    const compared = pairs.flatMap(({ subject, baseline }) => ratioOf(subject, baseline));
    return [...control, ...compared.map((each) => ({ ...each, ...open }))];
  });
}

/** Returns the verdict. It is "faster" or "slower" only if the interval excludes 1 and the effect exceeds 3 %. */
function verdictOf({ ratio, ci95: [low, high] }: Interval): Verdict {
  if (low > 1 && ratio > 1 + SMALLEST_EFFECT) return 'faster';
  if (high < 1 && ratio < 1 - SMALLEST_EFFECT) return 'slower';
  return 'no difference shown';
}

/** Returns true if a comparison is that of the A/A arm: a subject against itself. */
export function isControl({ subject, baseline }: Comparison<Place>): boolean {
  return subject === baseline;
}

/** Returns true if the A/A arm "differs", which invalidates the comparisons of its scenario. */
export function isBrokenControl(comparison: Comparison<Place>): boolean {
  return isControl(comparison) && (comparison.verdict === 'faster' || comparison.verdict === 'slower');
}

/** The ratios of one launch, baseline time over subject time. A round has one ratio for each pass through its arms. */
type LaunchRatios = readonly (readonly number[])[];

/**
 * Pairs the blocks of two arms that ran in the same pass of the same round, and divides their times, launch by launch.
 * In a mirrored round, a steady drift of the machine's speed raises one ratio as much as it lowers the other.
 */
function pairedRatios(
  launches: readonly (readonly TimedBlock[])[],
  scenario: string,
  subject: string,
  baseline: string,
): LaunchRatios[] {
  return launches.map((blocks) => {
    const ofScenario = blocks.filter((block) => block.scenario === scenario);
    const turnOf = ({ round, pass }: TimedBlock) => `${round}/${pass}`;
    const times = new Map(ofScenario.filter(({ arm }) => arm === subject).map((each) => [turnOf(each), each.totalMs]));
    const paired = ofScenario.filter((block) => block.arm === baseline && times.has(turnOf(block)));
    const rounds = Map.groupBy(paired, ({ round }) => round).values();
    return [...rounds].map((round) => round.map((block) => block.totalMs / times.get(turnOf(block))!));
  });
}

const RESAMPLES = 2000;
const UPPER = 0.975;

/** A median with the interval that contains it in 95 % of resamples. */
type Interval = Pick<Comparison, 'ratio' | 'ci95'>;

/**
 * Estimates the median ratio and its 95 % interval with a hierarchical bootstrap. It draws launches with replacement,
 * and within each launch whole rounds. Rounds of one launch resemble each other, so drawing only rounds would give an
 * interval that is too narrow. Half a round would lack the part that balances it. The interval is widened for the
 * uncertainty that a bootstrap over few launches cannot see.
 */
function bootstrapMedian(launches: readonly LaunchRatios[], random: Random): Interval {
  const drawn = launches.filter((rounds) => rounds.length > 0);
  if (drawn.length === 0) throw new Error('there is no pair to compare');
  const medians: number[] = [];
  // All resamples share one array, because creating and copying arrays would take most of the time.
  const ratios: number[] = [];
  for (let i = 0; i < RESAMPLES; i++) {
    let n = 0;
    for (let j = 0; j < drawn.length; j++) {
      const launch = pick(drawn, random);
      for (let k = 0; k < launch.length; k++) for (const each of pick(launch, random)) ratios[n++] = each;
    }
    ratios.length = n;
    medians.push(medianInPlace(ratios));
  }
  const ratio = median(drawn.flat(2));
  const stretch = stretchOf(drawn);
  const bound = (p: number) => ratio * (quantile(medians, p) / ratio) ** stretch;
  return { ratio, ci95: [bound(1 - UPPER), bound(UPPER)] };
}

/** Returns the median of values, and changes their order. */
function medianInPlace(values: number[]): number {
  const middle = values.length >> 1;
  quickselect(values, middle, 0, values.length - 1);
  if (values.length % 2 === 1) return values[middle];
  let below = values[0];
  for (let i = 1; i < middle; i++) if (values[i] > below) below = values[i];
  return (below + values[middle]) / 2;
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)];
}

/**
 * Returns the factor by which the interval of a bootstrap over `launches` is widened. Drawing from n units gives too
 * small a spread, by the root of (n − 1) / n. Its quantiles are those of a normal distribution, as if the spread were
 * known and not estimated from the same n. Student's quantiles are wider, by 1.3 for six launches that differ and by
 * 2.2 for three.
 */
function stretchOf(launches: readonly LaunchRatios[]): number {
  const n = launches.length;
  if (n < 2) return 1;
  const student = jstat.studentt.inv(UPPER, degreesOfFreedom(launches));
  return (Math.sqrt(n / (n - 1)) * student) / jstat.normal.inv(UPPER, 0, 1);
}

/**
 * Returns Satterthwaite's degrees of freedom of the two variances that a hierarchical bootstrap draws from. The
 * variance of launches is known from n − 1 differences, and that of rounds within them from many. If launches hardly
 * differ, the rounds count too. If only launches differ, more rounds do not reduce the uncertainty.
 */
function degreesOfFreedom(launches: readonly LaunchRatios[]): number {
  const logs = launches.map((rounds) => rounds.map((ratios) => mean(ratios.map(Math.log))));
  const between = sampleVariance(logs.map((rounds) => mean(rounds)));
  const repeated = logs.filter((rounds) => rounds.length > 1);
  const within = repeated.reduce((sum, rounds) => sum + sampleVariance(rounds) / rounds.length, 0) / launches.length;
  const freeWithin = repeated.reduce((sum, rounds) => sum + rounds.length - 1, 0);
  const freeBetween = launches.length - 1;
  const uncertainty = between ** 2 / freeBetween + (freeWithin > 0 ? within ** 2 / freeWithin : 0);
  return uncertainty > 0 ? (between + within) ** 2 / uncertainty : freeBetween;
}
