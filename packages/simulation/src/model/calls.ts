import type { CallRecord } from '../driver/history.ts';
import { PLANNED } from '../programs/keys.ts';
import { endedSo, endingOf, isSafe } from './expected.ts';
import { type Facts, nameOf } from './facts.ts';

/** Checks that each call has ended, and in a way that is allowed. */
export function checkEnds(facts: Facts): string[] {
  return facts.history.calls.flatMap((call) => {
    // A client that has forgotten its calls receives no results.
    if (call.ok === undefined && call.isForgotten) return [];
    const why = call.ok === undefined ? 'never settled' : whyNotOfAny(facts, call);
    return why === undefined ? [] : [`${nameOf(call)}: ${why}${call.told ? ` "${call.told.message}"` : ''}`];
  });
}

/** Returns why a call must not have ended as it did, however it was understood. */
function whyNotOfAny(facts: Facts, call: CallRecord): string | undefined {
  const reasons = facts.variants(call).map((variant) => whyNot(facts, variant));
  return reasons.includes(undefined) ? undefined : reasons[0];
}

/** Returns why a call must not have ended as it did, or undefined if it may have. */
function whyNot(facts: Facts, call: CallRecord): string | undefined {
  const { told, spec, life, uses } = call;
  const ending = endingOf(facts, call);
  if ((!call.onItsWay || ending !== 'ok') && endedSo(call, ending)) return undefined;
  if (call.ok) return ending === 'ok' ? undefined : `succeeded, and not ${JSON.stringify(ending)}`;
  const { code, message } = told!;
  // If another call fails, the calls that depend on it fail with its error too.
  if (uses !== undefined && uses.ok !== true) return undefined;
  if (call.mapped !== undefined && MAPPED.has(code)) return undefined;
  // Everything of a user ends when another one comes.
  if (facts.changed(call) && OF_ANOTHER.has(code)) return undefined;
  // A client that was refused for good does not reconnect.
  const isLost = facts.lost(call) || (facts.refusesForGood && life.losses.length > 0);
  switch (code) {
    case 'NOT_EXECUTED':
    case 'OUTCOME_UNKNOWN':
      if (message.startsWith(WITH_ANOTHER)) return facts.hasLimits ? undefined : 'was refused with another call';
      if (!isLost) return 'was told of a loss that was none';
      return mayBeLost(facts, call) ? undefined : 'was lost, and is declared so that it need not be';
    case 'TIMED_OUT': {
      const limit = spec.limit && 'timeoutMs' in spec.limit ? spec.limit.timeoutMs : undefined;
      if (limit === undefined) return 'timed out without a limit';
      // The object refuses what begins too late by its own clock.
      return call.settledAt! + 1 < call.at + limit && !facts.had('clock')
        ? `timed out after ${call.settledAt! - call.at} ms of ${limit}`
        : undefined;
    }
    case 'CANCELLED':
      return (spec.limit && 'abortMs' in spec.limit) || life.ended ? undefined : 'was cancelled by nobody';
    case 'EXPIRED':
      return facts.program.clients[life.client].expiresMs !== undefined || facts.refusesForGood
        ? undefined
        : 'expired, and nobody does';
    case 'DENIED':
      return facts.refusesForGood ? undefined : 'was denied';
    case 'REFERENCE_LOST':
      return mayLoseReferences(facts, call) ? undefined : 'lost a reference that it has not, or that is to be restored';
    case 'OVERLOADED':
    case 'LIMIT_EXCEEDED':
    case 'RATE_LIMITED':
      return mayBeRefused(facts, call, code) ? undefined : 'reached a limit that is none';
    case undefined:
      if (facts.had('disk')) return undefined;
      return message === PLANNED ? 'threw what it was not asked to' : 'threw what nobody planned';
    default:
      return `ended with ${code}`;
  }
}

/** Codes of calls that ended because their connection got another user, or was refused one. */
const OF_ANOTHER: ReadonlySet<string | undefined> = new Set([
  'EXPIRED',
  'OUTCOME_UNKNOWN',
  'NOT_EXECUTED',
  'REFERENCE_LOST',
  'DENIED',
]);

/** The message of a call that was refused because its frame was refused as a whole. */
const WITH_ANOTHER = 'refused with another call';

/** Codes with which elements of a mapped list may fail, each as the method called for it does. */
const MAPPED: ReadonlySet<string | undefined> = new Set([
  'METHOD_NOT_FOUND',
  'INVALID_ARGUMENTS',
  'DENIED',
  'NOT_CLONEABLE',
  'OUTCOME_UNKNOWN',
  undefined,
]);

/** Returns true if a lost call may remain lost: it cannot be sent again, or there was too little time. */
function mayBeLost(facts: Facts, call: CallRecord): boolean {
  const { history, program } = facts;
  if (!isSafe(facts, call) || call.life.ended !== undefined || call.spec.limit !== undefined) return true;
  // It may have run before it was refused.
  if (facts.hasLimits) return true;
  if (facts.had('disk', 'clock') || facts.refusesForGood || history.outageMs > OUTAGE_MS) return true;
  return program.clients[call.life.client].expiresMs !== undefined;
}

/** The longest total time of faults during which calls keep waiting, in milliseconds. */
const OUTAGE_MS = 8000;

function mayLoseReferences(facts: Facts, call: CallRecord): boolean {
  const { method, direct, spec, uses } = call;
  if (facts.lost(call)) return true;
  // A result that is passed on from another frame is kept in memory until the frame of its call arrives.
  if (direct && method.takes === 'value') return uses !== undefined && facts.mayHaveHibernated;
  // A kept stub was received earlier, so it may have been lost or disposed of since.
  if (spec.how === 'kept') return call.life.losses.length > 0 || disposes(facts, call) || !isRestorable(facts, call);
  return !isRestorable(facts, call);
}

function disposes({ program }: Facts, { life }: CallRecord): boolean {
  return program.steps.some((step) => step.kind === 'dispose' && step.client % program.clients.length === life.client);
}

/**
 * Returns true if the targets that a call goes through survive when the object leaves memory. An object hibernates while
 * a client sleeps for long, because it hears no heartbeat of the client.
 */
function isRestorable(facts: Facts, { spec }: CallRecord): boolean {
  const { program } = facts;
  if (!facts.mayHaveHibernated) return true;
  return spec.ways.every((way) => {
    const { isGetter, delivery } = program.target.ways[way];
    return !isGetter && delivery === 'restorable';
  });
}

/** Returns true if the options of the object include a limit that may cause this error. */
function mayBeRefused({ program }: Facts, { method }: CallRecord, code: string): boolean {
  const { maxCallsInFlight, maxReferences, maxSubscriptions, burst } = program.target.options;
  if (code === 'RATE_LIMITED') return burst !== undefined;
  if (code === 'LIMIT_EXCEEDED' && burst !== undefined) return true;
  if (code === 'OVERLOADED') return maxCallsInFlight !== undefined;
  if (method.returns === 'subscription' && maxSubscriptions !== undefined) return true;
  return maxReferences !== undefined;
}
