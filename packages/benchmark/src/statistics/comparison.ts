import type { HostName, Place } from '@lumenize/hosts/host';
import type { Random } from '@lumenize/hosts/random';
import { bootstrapMedian, type Interval } from './bootstrap.ts';
import { pairedRatios, type TimedBlock } from './pairs.ts';

/** What may be said of a subject against a baseline. */
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

/** Which arms are compared. */
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

/** Says "faster" or "slower" only where the interval excludes 1 and the effect is more than 3 %. */
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
