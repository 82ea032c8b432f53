import type { Interval } from './bootstrap.ts';

/**
 * Divides one ratio by another that was measured independently of it. The interval is made of both on the logarithmic
 * scale: towards either side the half-widths that lead there, added as squares.
 */
export function quotient(now: Interval, then: Interval): Interval {
  const ratio = now.ratio / then.ratio;
  const down = Math.hypot(below(now), above(then));
  const up = Math.hypot(above(now), below(then));
  return { ratio, ci95: [ratio * Math.exp(-down), ratio * Math.exp(up)] };
}

function below({ ratio, ci95: [low] }: Interval): number {
  return Math.log(ratio / low);
}

function above({ ratio, ci95: [, high] }: Interval): number {
  return Math.log(high / ratio);
}
