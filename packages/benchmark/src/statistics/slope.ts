import { linearRegression } from 'simple-statistics';

/** Returns the slope of the line that has the least squares of distances. Throws where there are not two different x. */
export function slopeOf(points: readonly (readonly [x: number, y: number])[]): number {
  if (new Set(points.map(([x]) => x)).size < 2) throw new Error('a slope needs two points');
  return linearRegression(points.map(([x, y]) => [x, y])).m;
}
