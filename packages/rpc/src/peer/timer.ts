/** The longest delay of a timer, about 24 days. One that is set for longer goes off at once. */
const LONGEST_MS = 2 ** 31 - 1;

/** Runs a job after a delay, or after the longest one that there is. */
export function startTimer(job: () => void, ms: number): ReturnType<typeof setTimeout> {
  return setTimeout(job, Math.min(ms, LONGEST_MS));
}
