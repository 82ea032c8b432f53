import type { Random } from '@lumenize/hosts/random';

/**
 * Draws the moments of a Poisson process over `durationMs`, in ms from its start, on the condition that there are as
 * many as `ratePerSecond` says: gaps are exponential, and what is offered is what is stated, and not that by chance.
 */
export function poissonArrivals(ratePerSecond: number, durationMs: number, random: Random): Float64Array {
  const count = Math.max(1, Math.round((ratePerSecond * durationMs) / 1000));
  const arrivals = new Float64Array(count);
  let sum = 0;
  for (let i = 0; i < count; i++) {
    sum -= Math.log(1 - random());
    arrivals[i] = sum;
  }
  // One more gap, after which the next arrival would have come: the moments before it are as if drawn evenly.
  const whole = sum - Math.log(1 - random());
  return arrivals.map((at) => (at / whole) * durationMs);
}

/** Returns `count` moments `everyMs` apart. */
export function evenArrivals(everyMs: number, count: number): Float64Array {
  return Float64Array.from({ length: count }, (_, i) => i * everyMs);
}
