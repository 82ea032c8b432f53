/** Runs a job next. In workerd `queueMicrotask` takes several times as long as a promise. */
export function next(job: () => void): void {
  void Promise.resolve().then(job);
}

/**
 * Runs a job when a turn has ended: one job later than the next, so that what an async function does when it is resumed
 * is still of the turn.
 */
export function atEndOfTurn(job: () => void): void {
  void Promise.resolve().then().then(job);
}
