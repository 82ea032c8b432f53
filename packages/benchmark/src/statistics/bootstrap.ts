import type { Random } from '@lumenize/hosts/random';
import { median, quantile, quickselect } from 'simple-statistics';
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
  return { ratio, ci95: [bound(0.025), bound(0.975)] };
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
