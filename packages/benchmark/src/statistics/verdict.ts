import type { Interval } from './bootstrap.ts';

/** What may be said of a subject against a baseline. */
export type Verdict = 'faster' | 'slower' | 'no difference shown' | 'no conclusion';

/** Effects up to this size are not told apart from the method's own. */
export const SMALLEST_EFFECT = 0.03;

/** Says "faster" or "slower" only where the interval excludes 1 and the effect is more than 3 %. */
export function verdictOf({ ratio, ci95: [low, high] }: Interval): Verdict {
  if (low > 1 && ratio > 1 + SMALLEST_EFFECT) return 'faster';
  if (high < 1 && ratio < 1 - SMALLEST_EFFECT) return 'slower';
  return 'no difference shown';
}
