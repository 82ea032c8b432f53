import { median, quantile } from 'simple-statistics';
import type { Random } from '../random.ts';
import type { LaunchRatios } from './pairs.ts';
import { stretchOf } from './stretch.ts';

const RESAMPLES = 2000;

/** A median with the interval that holds it in 95 % of resamples. */
export interface Interval {
  readonly ratio: number;
  readonly ci95: readonly [number, number];
}

/**
 * Estimates the median ratio and its 95 % interval by a hierarchical bootstrap: launches are drawn with replacement,
 * and within each of them its rounds, whole. Rounds of one launch resemble one another, so that drawing rounds alone
 * would give an interval that is too narrow; and half a round would lose what its other half balances. The
 * interval is stretched for what a bootstrap over few launches cannot know.
 */
export function bootstrapMedian(launches: readonly LaunchRatios[], random: Random): Interval {
  const drawn = launches.filter((rounds) => rounds.length > 0);
  if (drawn.length === 0) throw new Error('there is no pair to compare');
  const medians: number[] = [];
  for (let i = 0; i < RESAMPLES; i++) {
    const ratios: number[] = [];
    for (let j = 0; j < drawn.length; j++) {
      const launch = pick(drawn, random);
      for (let k = 0; k < launch.length; k++) ratios.push(...pick(launch, random));
    }
    medians.push(median(ratios));
  }
  const ratio = median(drawn.flat(2));
  const stretch = stretchOf(drawn);
  const bound = (p: number) => ratio * (quantile(medians, p) / ratio) ** stretch;
  return { ratio, ci95: [bound(0.025), bound(0.975)] };
}

function pick<T>(items: readonly T[], random: Random): T {
  return items[Math.floor(random() * items.length)];
}
