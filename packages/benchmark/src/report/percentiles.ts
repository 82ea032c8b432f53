import type { TimeResult } from '../blocks/record.ts';
import { decodeSamples } from '../statistics/histogram.ts';

const NS_PER_MS = 1e6;
const PERCENTILES = [10, 25, 50, 75, 90, 95, 99, 99.9];
/** Of fewer samples than ten beyond it, a percentile says little. */
const BEYOND = 10;

/** Returns where a percentile stands on an axis that gives each further nine as much room: 90 at 1, 99 at 2. */
export function nines(percentile: number): number {
  return -Math.log10(1 - percentile / 100);
}

/** Returns the percentiles of a result's samples, in ms, as points of a curve: those that it has samples enough for. */
export function percentileCurve({ samples, n }: TimeResult): [nines: number, ms: number][] {
  const histogram = decodeSamples(samples);
  return PERCENTILES.filter((each) => Math.round((n * (100 - each)) / 100) >= BEYOND).map((each) => {
    const ms = histogram.getValueAtPercentile(each) / NS_PER_MS;
    return [Number(nines(each).toFixed(4)), Number(ms.toPrecision(3))];
  });
}
