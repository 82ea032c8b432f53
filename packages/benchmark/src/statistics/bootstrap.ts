import type { Random } from '@lumenize/hosts/random';
import jstat from 'jstat';
import { mean, median, quantile, quickselect, sampleVariance } from 'simple-statistics';
import type { LaunchRatios } from './pairs.ts';

const RESAMPLES = 2000;
const UPPER = 0.975;

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
 * What Satterthwaite gives for the sum of the two variances that a hierarchical bootstrap draws from: that of launches,
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
