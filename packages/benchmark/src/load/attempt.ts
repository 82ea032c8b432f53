import type { Scenario } from '../scenarios/scenario.ts';
import type { Subject } from '../subjects/subject.ts';
import { Unavailable, unavailableBecause } from '../subjects/unavailable.ts';

/** Far more than any block takes, so that only a call that never settles exceeds it. */
const TIMEOUT_MS = 30_000;

/**
 * Does a part of what `subject` has to do for `scenario`. An error, and not to come to an end, rejects and names both;
 * what the subject cannot do rejects with `Unavailable`.
 */
export async function attempt<Outcome>(
  scenario: Scenario,
  subject: Subject,
  work: Promise<Outcome>,
  timeoutMs = TIMEOUT_MS,
): Promise<Outcome> {
  const hang = subject.mayHang?.scenarios.test(scenario.name) ? subject.mayHang : undefined;
  try {
    return await within(hang?.afterMs ?? timeoutMs, work);
  } catch (cause) {
    if (hang && cause instanceof NoEnd) throw new Unavailable(`${cause.message}, because ${hang.because}`);
    const unavailable = unavailableBecause(cause);
    if (unavailable !== undefined) throw new Unavailable(unavailable);
    throw new Error(`${scenario.name}, ${subject.name}: ${String(cause)}`, { cause });
  }
}

class NoEnd extends Error {}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoEnd(`no end after ${timeoutMs} ms: a call has not settled`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
