import type { CallRecord } from '../driver/history.ts';
import { type Facts, lostBetween, nameOf } from './facts.ts';

/**
 * Checks that the values that arrived are those in the ledger, and that they are complete unless something explains a
 * gap.
 */
export function checkValues(facts: Facts): string[] {
  return [...facts.history.calls.flatMap((call) => checkValue(facts, call)), ...checkCounters(facts)];
}

function checkValue(facts: Facts, call: CallRecord): string[] {
  const wrong: string[] = [];
  const say = (why: string) => wrong.push(`${nameOf(call)}: ${why}`);
  const { method, spec, items, end, callbacks } = call;
  if (callbacks.some((place, index) => place !== index)) say(`its callbacks came as ${callbacks}`);
  if (call.ok !== true || call.mapped !== undefined) return wrong;
  if (
    (method.takes === 'callback' || method.takes === 'target') &&
    method.shape !== 'sync' &&
    callbacks.length !== spec.count
  ) {
    say(`its callbacks came ${callbacks.length} times in place of ${spec.count}`);
  }
  const values = method.does === 'read' ? [0] : facts.rows(call.key, 'effect').map(({ value }) => value);
  if ((method.returns === 'number' || method.returns === 'echo') && !values.includes(call.value as number)) {
    say(`returned ${call.value}, and the ledger has ${values}`);
  }
  const given = mayBeGiven(facts, call);
  if (call.back !== undefined && !given.includes(undefined) && !given.includes(call.back.value))
    say(`was given ${call.back.value}, and should have been ${given}`);
  if (end !== undefined && typeof end === 'object' && !mayEnd(facts, call))
    say(`what it returned ended with ${end.code} ${end.message}`);
  if (method.returns === 'function' || method.returns === 'promise') {
    if (end === 'all' && !values.includes(items[0] - 1))
      say(`what it returned came to ${items[0]}, and the ledger has ${values}`);
  } else if (
    method.returns === 'list' ||
    method.returns === 'generator' ||
    method.returns === 'stream' ||
    method.returns === 'bytes'
  ) {
    const bits = method.returns === 'bytes' ? 255 : -1;
    const isRun = values.some((value) => items.every((item, place) => item === ((value + place) & bits)));
    if (!isRun) say(`gave ${items}, and the ledger has ${values}`);
    if (items.length > spec.count || (end === 'all' && items.length !== spec.count))
      say(`gave ${items.length} of ${spec.count}`);
    const isToFail = spec.refuse === 'later' && method.returns === 'generator';
    if (end === 'all' && isToFail) say('its end looks like that of one that did not fail');
  } else if (method.returns === 'writable' && end === 'all') {
    const sums = facts.rows(call.key, 'sink').map(({ value }) => value);
    if (!sums.includes((spec.count * (spec.count - 1)) / 2)) say(`its stream closed with ${sums}`);
  }
  return wrong;
}

/**
 * Returns the values that a call may have passed. A value of another call may differ if that call was sent again for
 * this one.
 */
function mayBeGiven(facts: Facts, call: CallRecord): readonly unknown[] {
  const { spec, uses } = call;
  if (uses === undefined) return [spec.extra];
  // The frame of both calls is sent again, even if the result of the other call had arrived.
  const isIdempotent = facts.variants(uses).some(({ method }) => method.delivery === 'idempotent');
  const isMadeAgain = isIdempotent && (facts.lost(uses) || facts.lost(call));
  return [uses.value, ...(isMadeAgain ? facts.rows(uses.key, 'effect').map(({ value }) => value) : [])];
}

/** Returns true if something that was passed by reference may have ended with an error. */
function mayEnd(facts: Facts, call: CallRecord): boolean {
  const { life, at, method, spec } = call;
  if (facts.changed(call) || life.changes.length > 0) return true;
  if (life.ended !== undefined || lostBetween(life, at) || spec.refuse === 'later') return true;
  if (facts.had('disk')) return true;
  // Objects lose what they keep only in memory, and an object that only keeps functions may leave memory.
  if (method.returns === 'function') return facts.mayHaveHibernated && method.delivery !== 'restorable';
  if (facts.program.target.options.maxReferences !== undefined) return true;
  return method.returns === 'subscription' && (facts.mayHaveHibernated || facts.had('crash', 'deploy'));
}

/** Checks that a counter never has the same value twice and leaves out none. */
function checkCounters(facts: Facts): string[] {
  const byMethod = new Map<string, number[]>();
  for (const { what, method, value } of facts.run.report.rows) {
    // Calls that wait for the end of the same connection continue in the same event.
    if (what === 'effect' && !isTogether(facts, method)) byMethod.set(method, [...(byMethod.get(method) ?? []), value]);
  }
  return [...byMethod].flatMap(([method, values]) => {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted.every((value, place) => value === place + 1) ? [] : [`the counter of ${method} came to ${values}`];
  });
}

function isTogether({ program }: Facts, name: string): boolean {
  const { does, wait } = program.target.methods[Number(name.slice(1))];
  return does === 'counter' && wait === 'abort';
}
