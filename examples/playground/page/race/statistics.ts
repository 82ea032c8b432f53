/** Returns the value in the middle, or the mean of the two there; NaN of none. */
export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

/** Returns the value below which the part `p` of all lies, between two values in proportion; NaN of none. */
export function quantile(values: readonly number[], p: number): number {
  const sorted = Float64Array.from(values).sort();
  const place = (sorted.length - 1) * p;
  const below = sorted[Math.floor(place)];
  const above = sorted[Math.ceil(place)];
  return sorted.length === 0 ? Number.NaN : below + (above - below) * (place - Math.floor(place));
}
