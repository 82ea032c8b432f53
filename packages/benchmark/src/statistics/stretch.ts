import jstat from 'jstat';
import { mean, sampleVariance } from 'simple-statistics';
import type { LaunchRatios } from './pairs.ts';

const UPPER = 0.975;

/**
 * Returns by how much the interval of a bootstrap over `launches` is to be stretched. Drawing from n units spreads too
 * little by the root of (n − 1) / n, and its quantiles are those of a normal distribution, as if the spread were known
 * and not estimated from the same n; Student's are wider, by 1.3 for six launches that differ and by 2.2 for three.
 */
export function stretchOf(launches: readonly LaunchRatios[]): number {
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
