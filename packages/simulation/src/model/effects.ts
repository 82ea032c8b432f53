import type { CallRecord } from '../driver/history.ts';
import { PLANNED } from '../programs/keys.ts';
import { type Facts, lostBetween, nameOf } from './facts.ts';

/** The codes of calls that have not run. */
const NOT_RUN: ReadonlySet<string | undefined> = new Set([
  'NOT_EXECUTED',
  'EXPIRED',
  'DENIED',
  'METHOD_NOT_FOUND',
  'INVALID_ARGUMENTS',
  'OVERLOADED',
  'RATE_LIMITED',
  'REFERENCE_LOST',
]);

/**
 * Checks that exactly the requested calls ran: once if that was declared or reported, and never if they were reported
 * as not run.
 */
export function checkEffects(facts: Facts): string[] {
  const wrong: string[] = [];
  const known = new Set<string>();
  for (const call of facts.history.calls) {
    known.add(call.key);
    if (call.method.does !== 'read') wrong.push(...ofAny(facts, call, checkCall), ...checkAcrossDeploy(facts, call));
    if (call.mapped !== undefined) {
      wrong.push(...ofAny(facts, call, (_facts, variant) => checkMapped(facts, variant, known)));
    }
  }
  for (const key of facts.keys) if (!known.has(key)) wrong.push(`${key} has run, and nobody called it`);
  return wrong;
}

/** Returns what is wrong with a call, unless nothing is in one of the ways in which it may have been understood. */
function ofAny(facts: Facts, call: CallRecord, rule: (facts: Facts, call: CallRecord) => string[]): string[] {
  const wrong = facts.variants(call).map((variant) => rule(facts, variant));
  return wrong.find((each) => each.length === 0) ?? wrong[0];
}

/**
 * Checks that a call that has run did not run again under a version of the class that does not declare that it may,
 * whatever the version declared under which it ran before.
 */
function checkAcrossDeploy(facts: Facts, call: CallRecord): string[] {
  if (call.method.returns === 'subscription') return [];
  return facts
    .rows(call.key, 'begin')
    .slice(1)
    .flatMap(({ version }) => {
      const { delivery } = facts.method(call.name, version);
      if (delivery !== 'default' && delivery !== 'exactlyOnce') return [];
      return [`${nameOf(call)}: ran again under version ${version}, which declares it ${delivery}`];
    });
}

function checkCall(facts: Facts, call: CallRecord): string[] {
  const { method, spec, ok, told } = call;
  const begun = facts.rows(call.key, 'begin').length;
  const effects = facts.rows(call.key, 'effect').length;
  const ran = `it began ${begun} times and had its effect ${effects} times`;
  const say = (why: string) => [`${nameOf(call)}: ${why}: ${ran}`];
  // A subscription continues by sending its call again, whatever its method declares.
  const isMadeAgain = method.returns === 'subscription' && ok === true;
  const isOnce = (method.delivery === 'default' && !isMadeAgain) || method.delivery === 'exactlyOnce';
  if (isOnce && (effects > 1 || begun > 1)) return say('ran twice');
  if (spec.limit && 'abortMs' in spec.limit && spec.limit.abortMs < 0 && begun > 0)
    return say('was cancelled before it was made');
  if (call.onItsWay && begun > 0) return say('was never made');
  if (ok) {
    if (effects === 0) return say('succeeded without its effect');
    if (effects > 1 && !mayRunAgain(facts, call, effects)) return say('ran again without a loss');
    return [];
  }
  if (told === undefined) return [];
  const isMethodsOwn = method.takes !== 'value' && method.takes !== 'signal';
  if (told.message === PLANNED) {
    if (method.delivery === 'exactlyOnce') return effects > 0 ? say('threw, and its effect stayed') : [];
    // This error cannot come from a step of its way or from a call that it uses.
    return effects === 0 && !call.mapped && call.uses?.ok !== false
      ? say('threw after an effect that is not there')
      : [];
  }
  if (call.mapped !== undefined || isMethodsOwn) return [];
  if (method.delivery === 'exactlyOnce' && told.code === 'NOT_CLONEABLE' && effects > 0)
    return say('its effect stayed');
  if (NOT_RUN.has(told.code) && begun + effects > 0) return say('is said not to have run');
  return [];
}

/** Returns true if a call that has succeeded may run again. */
function mayRunAgain(facts: Facts, call: CallRecord, effects: number): boolean {
  const { method, life, at } = call;
  if (facts.lost(call)) return true;
  // A place is found for each use of it, and it is used once.
  if (method.delivery === 'restorable') return effects <= 2;
  const isGoingOn = (other: CallRecord) => other.method.returns === 'subscription' && lostBetween(life, at);
  // A call also runs again if a call that uses its result, or the result of a call that does, is sent again.
  return (
    isGoingOn(call) ||
    facts.history.calls.some((other) => usesResult(other, call) && (isGoingOn(other) || facts.lost(other)))
  );
}

/** Returns true if a call uses the result of another one, also through calls between them. */
function usesResult({ uses }: CallRecord, of: CallRecord): boolean {
  return uses !== undefined && (uses.key === of.key || usesResult(uses, of));
}

function checkMapped(facts: Facts, call: CallRecord, known: Set<string>): string[] {
  const { delivery, does } = call.mapped!.method;
  known.add(`${call.key}*`);
  const wrong: string[] = [];
  const elements = new Set<string>();
  for (const key of facts.keys) if (key.startsWith(`${call.key}*`)) elements.add(key);
  for (const key of elements) {
    known.add(key);
    const effects = facts.rows(key, 'effect').length;
    if (effects > 1 && (delivery === 'default' || delivery === 'exactlyOnce')) {
      // The list is requested again if that is declared. The results for its elements are then repeated.
      wrong.push(`${nameOf(call)}: did ${key} ${effects} times by ${call.mapped!.name}()`);
    }
  }
  if (call.ok && does !== 'read') {
    const had = [...elements].filter((key) => facts.rows(key, 'effect').length > 0).length;
    if (had < call.items.length && new Set(call.items).size === call.items.length) {
      wrong.push(`${nameOf(call)}: had ${had} effects for ${call.items.length} elements`);
    }
  }
  return wrong;
}
