/** Returns the next number of a sequence, at least 0 and below 1. */
export type Random = () => number;

/** Makes a repeatable sequence of numbers from `seed`: a run can be drawn again from the seed that it recorded. */
export function seededRandom(seed: number): Random {
  // Marsaglia's xorshift. Neighbouring seeds give related first numbers, so they are spread and a few are dropped.
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

/** Returns the items in random order. */
export function shuffled<T>(items: readonly T[], random: Random): T[] {
  const result = [...items];
  for (let i = result.length - 1; i > 0; i--) {
    const j = Math.floor(random() * (i + 1));
    [result[i], result[j]] = [result[j], result[i]];
  }
  return result;
}
