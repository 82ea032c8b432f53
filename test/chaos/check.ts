import type { Ledger, Run } from './chaos-calls.ts';
import { checkOrder } from './check-order.ts';
import type { MadeCall, Outcome } from './history.ts';

/** The conditions of a run. */
export interface Circumstances {
  /** True if methods may throw, which they do while the disk is full. */
  readonly mayThrow: boolean;
  /** The longest time of a call without a deadline, and the longest delay after a deadline. */
  readonly longestMs: number;
  readonly slackMs: number;
}

/** Outcomes that say that a call has not run. */
const NOT_RUN: ReadonlySet<Outcome> = new Set(['NOT_EXECUTED', 'OVERLOADED', 'RATE_LIMITED', 'threw']);
/** Outcomes that say that a call may have run. */
const MAY_HAVE_RUN: ReadonlySet<Outcome> = new Set(['OUTCOME_UNKNOWN', 'TIMED_OUT']);

/** Compares the outcomes of calls with what was stored. Returns a sentence for each difference. */
export function check(calls: readonly MadeCall[], ledger: Ledger, circumstances: Circumstances): string[] {
  return [
    ...calls.flatMap((call) => checkEnd(call, circumstances)),
    ...checkRuns(calls, ledger),
    ...checkCounters(ledger),
    ...checkOrder(calls),
  ];
}

/** Checks that a call settled in time, with a possible outcome. */
function checkEnd(call: MadeCall, { mayThrow, longestMs, slackMs }: Circumstances): string[] {
  const { outcome, timeoutMs, tookMs, message } = call;
  if (outcome === 'pending') return [`${nameOf(call)} never settled`];
  const limitMs = timeoutMs === undefined ? longestMs : timeoutMs + slackMs;
  if (tookMs > limitMs) return [`${nameOf(call)} settled after ${tookMs.toFixed()} ms, ${limitMs.toFixed()} at most`];
  if (outcome === 'TIMED_OUT' && timeoutMs === undefined) return [`${nameOf(call)} timed out without a deadline`];
  if (outcome === 'succeeded' || MAY_HAVE_RUN.has(outcome)) return [];
  if (NOT_RUN.has(outcome) && (outcome !== 'threw' || mayThrow)) return [];
  return [`${nameOf(call)} ended with ${outcome}: ${message}`];
}

/** Checks that only calls of clients ran: once if they succeeded, and never if they were reported as not run. */
function checkRuns(calls: readonly MadeCall[], ledger: Ledger): string[] {
  const wrong: string[] = [];
  const runs = new Map<string, Run[]>();
  for (const run of ledger.runs) {
    const same = runs.get(nameOf(run));
    if (same === undefined) runs.set(nameOf(run), [run]);
    else same.push(run);
  }
  for (const call of calls) {
    if (call.method !== 'increment' && call.method !== 'bump') continue;
    const name = nameOf(call);
    const own = runs.get(name) ?? [];
    runs.delete(name);
    if (NOT_RUN.has(call.outcome) && own.length > 0) wrong.push(`${name} ended with ${call.outcome} and has run`);
    if (own.length > 1) {
      wrong.push(`${name} has run ${own.length} times and ended with ${call.outcome}`);
    }
    if (call.outcome !== 'succeeded') continue;
    if (own.length === 0) wrong.push(`${name} succeeded and is not stored`);
    else if (!own.some(({ value }) => value === call.value)) {
      wrong.push(`${name} returned ${call.value}, but what is stored is ${own.map(({ value }) => value)}`);
    }
  }
  for (const name of runs.keys()) wrong.push(`${name} has run, and nobody called it`);
  return wrong;
}

/** Checks that each counter equals the number of its runs, and that no two runs returned the same value. */
function checkCounters({ increments, bumps, runs }: Ledger): string[] {
  const wrong: string[] = [];
  for (const [method, counter] of [
    ['increment', increments],
    ['bump', bumps],
  ] as const) {
    const values = runs.filter((run) => run.method === method).map(({ value }) => value);
    if (values.length !== counter) wrong.push(`the counter of ${method} is ${counter} after ${values.length} runs`);
    if (new Set(values).size !== values.length) wrong.push(`${method} has returned a value twice`);
  }
  return wrong;
}

export function nameOf({ method, client, n }: { method: string; client: number; n: number }): string {
  return `${method} ${n} of client ${client}`;
}
