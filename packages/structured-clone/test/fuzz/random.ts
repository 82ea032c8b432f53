/** Random choices that a seed decides: any case can be made again without those before it. */
export interface Random {
  /** An integer from 0 to below `bound`. */
  below(bound: number): number;
  /** Whether something that happens once in so many times happens now. */
  oneIn(times: number): boolean;
  pick<T>(items: readonly T[]): T;
}

/** The generator known as mulberry32, begun at a place that seed and number decide. */
export function createRandom(seed: number, number: number): Random {
  let state = (Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) ^ Math.imul(number + 1, 0xc2b2ae35)) >>> 0;

  function below(bound: number): number {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * bound);
  }

  return {
    below,
    oneIn: (times) => below(times) === 0,
    pick: (items) => items[below(items.length)],
  };
}
