/** A frame that has grown to this many bytes is sent, and what comes after it begins another. */
export const FULL_BYTES = 262_144;

/**
 * Runs a job when a turn has ended: one job later than the next, so that what an async function does when it is resumed
 * is still of the turn.
 */
export function atEndOfTurn(job: () => void): void {
  queueMicrotask(() => queueMicrotask(job));
}
