import jstat from 'jstat';
import { linearRegression, mean, sampleStandardDeviation } from 'simple-statistics';

const UPPER = 0.975;

/** A mean with its 95 % interval, of which one value alone has none. */
export interface MeanInterval {
  readonly value: number;
  readonly ci95?: readonly [number, number];
  readonly n: number;
}

/** Returns the mean of independent values, such as those of launches, with Student's interval. */
export function meanInterval(values: readonly number[]): MeanInterval {
  if (values.length === 0) throw new Error('there is no value');
  const value = mean([...values]);
  const n = values.length;
  if (n < 2) return { value, n };
  const half = (jstat.studentt.inv(UPPER, n - 1) * sampleStandardDeviation([...values])) / Math.sqrt(n);
  return { value, ci95: [value - half, value + half], n };
}

/** The same of ratios: their geometric mean, with an interval that is of one length up and down as factors are. */
export function ratioInterval(ratios: readonly number[]): MeanInterval {
  if (ratios.some((ratio) => !(ratio > 0))) throw new Error('a ratio is not above 0');
  const { value, ci95, n } = meanInterval(ratios.map(Math.log));
  return { value: Math.exp(value), ...(ci95 ? { ci95: [Math.exp(ci95[0]), Math.exp(ci95[1])] } : {}), n };
}

/** Returns the slope of the line that has the least squares of distances. Throws where there are not two different x. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  if (new Set(points.map(([x]) => x)).size < 2) throw new Error('a slope needs two points');
  return linearRegression(points.map(([x, y]) => [x, y])).m;
}
