/** The blocks compared at each end when steadiness is judged. */
const WINDOW = 3;
/** Blocks that get this much faster from one window to the next are still warming up. */
const STILL_IMPROVING = 0.05;

/** Tells whether the newest blocks are no longer faster than those before them. */
export function isSteady(blocksMs: readonly number[]): boolean {
  if (blocksMs.length < 2 * WINDOW) return false;
  const newest = Math.min(...blocksMs.slice(-WINDOW));
  const before = Math.min(...blocksMs.slice(-2 * WINDOW, -WINDOW));
  return newest >= before * (1 - STILL_IMPROVING);
}
