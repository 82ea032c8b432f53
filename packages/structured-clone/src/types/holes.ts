/** Past this many holes in a row, asking for the keys is cheaper than looking at each index. */
const MAX_STEPS = 64;

/** Returns how many indexes in a row, from this one on, hold nothing. */
export function lengthOfHole(array: readonly unknown[], from: number): number {
  const near = Math.min(array.length, from + MAX_STEPS);
  let to = from + 1;
  while (to < near && !(to in array)) to++;
  if (to < near || to === array.length) return to - from;
  // Keys that are indexes come first and in order.
  const next = Object.keys(array).find((key) => Number(key) >= to);
  return (next === undefined ? array.length : Math.min(Number(next), array.length)) - from;
}
