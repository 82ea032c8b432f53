const COARSE = [1, 2, 5];
const FINE = [1, 1.5, 2, 3, 5, 7];
/** So many px for a factor of ten are enough for all of `FINE`, and for `COARSE`; else there is one tick each. */
const ROOM_FOR_FINE = 130;
const ROOM_FOR_COARSE = 65;

/** Returns where a logarithmic axis between two values has ticks, as many as its length in px has room for. */
export function logTicks([low, high]: readonly [number, number], length: number): number[] {
  const room = length / Math.log10(high / low);
  const steps = room > ROOM_FOR_FINE ? FINE : room > ROOM_FOR_COARSE ? COARSE : [1];
  const first = Math.floor(Math.log10(low));
  const decades = Array.from({ length: Math.ceil(Math.log10(high)) - first + 1 }, (_, i) => first + i);
  return decades
    .flatMap((decade) => steps.map((step) => Number((step * 10 ** decade).toPrecision(2))))
    .filter((tick) => tick >= low && tick <= high);
}

/** Returns a logarithmic axis' ends that hold all of these values and a little more. */
export function logDomain(values: readonly number[]): [number, number] {
  return [Math.min(...values) * 0.93, Math.max(...values) * 1.08];
}

/** Returns where an axis from zero has ticks, and its end: about `count` steps of 1, 2 or 5 times a power of ten. */
export function zeroAxis(values: readonly number[], count = 5): { ticks: number[]; domain: [number, number] } {
  const high = Math.max(0, ...values) || 1;
  const rough = high / count;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * ([1, 2, 5, 10].find((each) => each * power >= rough) ?? 10);
  const ticks = Array.from({ length: Math.ceil(high / step) + 1 }, (_, i) => Number((i * step).toPrecision(6)));
  return { ticks, domain: [0, Math.max(high, ticks[ticks.length - 1])] };
}

/** Returns an axis that holds zero and all of these values, which may be below it. */
export function linearAxis(values: readonly number[]): { ticks: number[]; domain: [number, number] } {
  const high = zeroAxis(values);
  const low = Math.min(0, ...values);
  if (low === 0) return high;
  const step = high.ticks[1];
  const below = Array.from({ length: Math.floor(-low / step) }, (_, i) => Number((-(i + 1) * step).toPrecision(6)));
  return { ticks: [...below.toReversed(), ...high.ticks], domain: [low * 1.05, high.domain[1]] };
}
