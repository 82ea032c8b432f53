/** So many probes in a row must be within the objective: one alone may have slipped through. */
const IN_A_ROW = 20;

/**
 * Returns how long after an overload, in ms, the first of 20 probes in a row came that were all within `objectiveMs`, when
 * one was sent every `everyMs`; `undefined` where that was never so. NaN stands for a probe with an error.
 */
export function recoveredAfterMs(
  latenciesMs: ArrayLike<number>,
  everyMs: number,
  objectiveMs: number,
): number | undefined {
  let inARow = 0;
  for (let i = 0; i < latenciesMs.length; i++) {
    inARow = latenciesMs[i] <= objectiveMs ? inARow + 1 : 0;
    if (inARow === IN_A_ROW) return (i - IN_A_ROW + 1) * everyMs;
  }
  return undefined;
}
