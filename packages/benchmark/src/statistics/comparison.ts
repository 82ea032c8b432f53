import type { Random } from '@lumenize/hosts/random';
import { CONTROL, PAIRS, type Pair } from '../blocks/arms.ts';
import type { HostName, Place } from '../hosts/host.ts';
import type { Arm } from '../load/plan.ts';
import type { SubjectName } from '../subjects/subject.ts';
import { bootstrapMedian } from './bootstrap.ts';
import { pairedRatios, type TimedBlock } from './pairs.ts';
import { type Verdict, verdictOf } from './verdict.ts';

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

/** Which arms are compared. */
export interface Compared<Subject extends string = string> {
  readonly pairs: readonly Pair[];
  /** The A/A arm. */
  readonly control: Arm<Subject>;
}

/** What is compared where nothing else is said. */
export const COMPARED: Compared<SubjectName> = { pairs: PAIRS, control: CONTROL };

/**
 * Compares the arms in one place, scenario by scenario. Where `lumenize` differs from itself, no conclusion is drawn. A
 * pair of which one did not take part is left out.
 */
export function compare<Host extends Place>(
  host: Host,
  launches: readonly (readonly TimedBlock[])[],
  scenarios: readonly string[],
  random: Random,
  { pairs, control: again }: Compared = COMPARED,
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
    const trusted = !control.some(isBrokenControl);
    const compared = pairs.flatMap(({ subject, baseline }) => ratioOf(subject, baseline));
    return [
      ...control,
      ...(trusted ? compared : compared.map((each) => ({ ...each, verdict: 'no conclusion' as const }))),
    ];
  });
}

/** Tells whether a comparison is the A/A arm's: a subject against itself. */
export function isControl({ subject, baseline }: Comparison<Place>): boolean {
  return subject === baseline;
}

/** Returns the pairs that were compared, the A/A arms aside: those that every family has in their order, then others. */
export function pairsIn(comparisons: readonly Comparison<Place>[]): Pair[] {
  const compared = comparisons.filter((each) => !isControl(each));
  const isOf = (pair: Pair, { subject, baseline }: Pair) => subject === pair.subject && baseline === pair.baseline;
  const known = PAIRS.filter((pair) => compared.some((each) => isOf(pair, each)));
  const others = compared.filter((each) => !PAIRS.some((pair) => isOf(pair, each)));
  const first = others.filter((each, i) => others.findIndex((other) => isOf(each, other)) === i);
  return [...known, ...first.map(({ subject, baseline }) => ({ subject, baseline }))];
}

/** Tells whether the A/A arm "differs", which takes the ground from under the comparisons of its scenario. */
export function isBrokenControl(comparison: Comparison<Place>): boolean {
  return isControl(comparison) && (comparison.verdict === 'faster' || comparison.verdict === 'slower');
}
