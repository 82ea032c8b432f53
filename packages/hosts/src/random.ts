/** Returns the next number of a sequence, at least 0 and below 1. */
export type Random = () => number;

/**
 * Returns a repeatable sequence of random numbers. The same seed gives the same sequence, so a run can be repeated from
 * its recorded seed.
 */
export function seededRandom(seed: number): Random {
  // Marsaglia's xorshift. Similar seeds give similar first numbers, so the seed is mixed and the first numbers are
  // dropped.
  let state = Math.imul((seed | 0) ^ 0x5bd1e995, 0x9e3779b1) || 1;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  for (let i = 0; i < 8; i++) next();
  return next;
}

/** Returns a copy of the items in random order. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}
