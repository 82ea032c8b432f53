import type { HostName, Place } from '@lumenize/hosts/host';
import type { Random } from '@lumenize/hosts/random';
import jstat from 'jstat';
import { mean, median, quantile, quickselect, sampleVariance } from 'simple-statistics';

/** Half of a pair: the time of one arm's turn, or of one operation in it, and where the turn stood. */
export interface TimedBlock {
  readonly scenario: string;
  readonly arm: string;
  readonly round: number;
  readonly pass: 0 | 1;
  readonly totalMs: number;
}

/** The verdict on a subject against a baseline. */
export type Verdict = 'faster' | 'slower' | 'no difference shown' | 'no conclusion';

/** Effects up to this size are not told apart from the method's own. */
export const SMALLEST_EFFECT = 0.03;

/** A ratio of one scenario on one host. `ratio` is baseline time over subject time: above 1, the subject is faster. */
export interface Comparison<Host extends Place = HostName> {
  readonly scenario: string;
  readonly host: Host;
  readonly subject: string;
  /** The subject itself in the A/A comparison. */
  readonly baseline: string;
  readonly ratio: number;
  readonly ci95: readonly [number, number];
  readonly verdict: Verdict;
  readonly launches: number;
  /** Rounds of all launches; a mirrored one gives two ratios, which are not independent of one another. */
  readonly rounds: number;
}

/** Fewer launches than this are no replication, whatever the interval says. */
export const LAUNCHES_FOR_VERDICT = 3;
/** The range of five values holds the true median with less than 95 % probability, so that no interval of theirs can. */
const ROUNDS_FOR_VERDICT = 6;

/** A subject and what it is compared with, by the ids of their arms. */
export interface Pair {
  readonly subject: string;
  readonly baseline: string;
}

/** The arms that are compared. */
export interface Compared<Subject extends string = string> {
  readonly pairs: readonly Pair[];
  /** The A/A arm: a subject that takes part under another id too. */
  readonly control: { readonly id: string; readonly subject: Subject };
}

/**
 * Compares the arms in one place, scenario by scenario. Where `lumenize` differs from itself, no conclusion is drawn. A
 * pair of which one did not take part is left out.
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

/** Returns "faster" or "slower" only where the interval excludes 1 and the effect is more than 3 %. */
function verdictOf({ ratio, ci95: [low, high] }: Interval): Verdict {
  if (low > 1 && ratio > 1 + SMALLEST_EFFECT) return 'faster';
  if (high < 1 && ratio < 1 - SMALLEST_EFFECT) return 'slower';
  return 'no difference shown';
}

/** Tells whether a comparison is the A/A arm's: a subject against itself. */
export function isControl({ subject, baseline }: Comparison<Place>): boolean {
  return subject === baseline;
}

/** Tells whether the A/A arm "differs", which takes the ground from under the comparisons of its scenario. */
export function isBrokenControl(comparison: Comparison<Place>): boolean {
  return isControl(comparison) && (comparison.verdict === 'faster' || comparison.verdict === 'slower');
}

/** The ratios of one launch, baseline time over subject time: per round, one for each time it went through its arms. */
type LaunchRatios = readonly (readonly number[])[];

/**
 * Pairs the blocks of two arms that ran in the same pass of the same round and divides their times, launch by launch. In
 * a mirrored round a steady drift of the machine's speed raises one ratio by what it takes from the other.
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

/** A median with the interval that holds it in 95 % of resamples. */
type Interval = Pick<Comparison, 'ratio' | 'ci95'>;

/**
 * Estimates the median ratio and its 95 % interval by a hierarchical bootstrap: launches are drawn with replacement,
 * and within each of them its rounds, whole. Rounds of one launch resemble one another, so that drawing rounds alone
 * would give an interval that is too narrow; and half a round would lose what its other half balances. The
 * interval is stretched for what a bootstrap over few launches cannot know.
 */
function bootstrapMedian(launches: readonly LaunchRatios[], random: Random): Interval {
  const drawn = launches.filter((rounds) => rounds.length > 0);
  if (drawn.length === 0) throw new Error('there is no pair to compare');
  const medians: number[] = [];
  // One array for all resamples: making and copying them would take most of the time.
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

/** The median of values whose order nobody needs any more. */
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
 * Returns by how much the interval of a bootstrap over `launches` is to be stretched. Drawing from n units spreads too
 * little by the root of (n − 1) / n, and its quantiles are those of a normal distribution, as if the spread were known
 * and not estimated from the same n; Student's are wider, by 1.3 for six launches that differ and by 2.2 for three.
 */
function stretchOf(launches: readonly LaunchRatios[]): number {
  const n = launches.length;
  if (n < 2) return 1;
  const student = jstat.studentt.inv(UPPER, degreesOfFreedom(launches));
  return (Math.sqrt(n / (n - 1)) * student) / jstat.normal.inv(UPPER, 0, 1);
}

/**
 * Returns Satterthwaite's degrees of freedom of the two variances that a hierarchical bootstrap draws from: that of launches,
 * known from n − 1 differences, and that of rounds within them, known from many. Where launches hardly differ the
 * rounds count too; where launches are all that differs, more rounds make nothing more certain.
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
