import { isNativeStub, type RpcTarget } from '#platform';
import { refusal } from '../errors.ts';
import { isForbidden, isPlainData, isTarget, notFound } from '../peer/members.ts';
import { nodeOf } from '../peer/stub.ts';
import { type RunningCall, runFor } from './context.ts';
import { complete } from './declare.ts';
import { deliver, perform } from './deliver.ts';
import { mapOver } from './map.ts';

export type AnyMember = (...args: unknown[]) => unknown;

/** The ways to treat a call whose connection was lost after it was sent. */
export type Delivery = 'unknown' | 'again' | 'once';

/** A member that a target's class declares: either a method or a getter. */
export interface Declared {
  readonly name: string;
  readonly method: AnyMember | undefined;
  readonly getter: AnyMember | undefined;
  /** True if the member has never returned a promise; undefined until it has run. */
  isPrompt: boolean | undefined;
  delivery: Delivery;
  /** True if the result of the method is found again by calling it again. */
  isRestorable: boolean;
  /** True if a call must be run by `deliver`. */
  isDelivered: boolean;
}

const known = new WeakMap<object, ReadonlyMap<string, Declared>>();

/** Arguments that hold bytes of their frame: a place cannot be written without them. */
export const OF_FRAMES = new WeakSet<object>();

/** Hints at the probable mistake, by the type of the value that was given in place of a target. */
const HINTS: Readonly<Record<string, string>> = {
  Promise: ': is it async?',
  Function: ': a class has to be made an instance with new',
};

/**
 * Checks that a value can be served. `where` begins the error message, such as "serveRpc() needs".
 * @throws {TypeError} if its class did not opt in, or if its `static rpc` is invalid
 */
export function requireTarget(value: unknown, where: string): asserts value is RpcTarget {
  if (!isTarget(value)) {
    const kind = (value as object | null | undefined)?.constructor?.name ?? typeof value;
    const hint = Object.hasOwn(HINTS, kind) ? HINTS[kind] : '';
    throw new TypeError(`${where} an instance of a class that extends RpcTarget, not of ${kind}${hint}`);
  }
  // Checked here and not with the first call, so that the author of the class sees the error.
  declaredBy(value);
}

/**
 * Collects the members from the target's own class up to `RpcTarget`. The most derived member wins. If it is neither a
 * method nor a getter, it hides the members that it overrides.
 */
function declaredBy(target: RpcTarget): ReadonlyMap<string, Declared> {
  const own = Object.getPrototypeOf(target);
  const before = known.get(own);
  if (before !== undefined) return before;
  const declared = new Map<string, Declared>();
  const seen = new Set();
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const { value, get: getter } = Object.getOwnPropertyDescriptor(prototype, name)!;
      const method = typeof value === 'function' ? (value as AnyMember) : undefined;
      if ((method ?? getter) === undefined || isForbidden(name)) continue;
      declared.set(name, {
        name,
        method,
        getter,
        isPrompt: getter && true, // a getter cannot await
        delivery: getter ? 'again' : 'unknown',
        isRestorable: false,
        isDelivered: false,
      });
    }
  }
  complete(target, declared);
  known.set(own, declared);
  return declared;
}

/** Returns the member of a target that can be reached. A property of the target itself hides the member of its class. */
export function declaredMember(target: RpcTarget, name: string): Declared | undefined {
  return Object.hasOwn(target, name) ? undefined : declaredBy(target).get(name);
}

function memberOf(call: RunningCall, target: RpcTarget, name: string, kind: 'method' | 'getter'): Declared {
  // As `declaredMember`, which costs every call of a cold object a function more.
  const found = Object.hasOwn(target, name)
    ? undefined
    : (known.get(Object.getPrototypeOf(target)) ?? declaredBy(target)).get(name);
  if (found?.[kind] !== undefined) return found;
  // A class that has it no longer may have run it.
  requireRepeatable(call);
  const { name: of } = target.constructor;
  const why =
    found !== undefined
      ? `it is a ${kind === 'method' ? 'getter' : 'method'} of ${of}`
      : Object.hasOwn(target, name) && declaredBy(target).has(name) // what else there is, nobody learns
        ? `it is a property of this ${of}, and only methods and getters of its class can be reached`
        : `${of} declares none`;
  throw notFound(kind === 'method' ? 'method' : 'getter', name, why);
}

/** Calls a method of a value that is on this side, or a function in it. `next` is the place of the step behind it. */
export function callMember(
  call: RunningCall,
  receiver: unknown,
  name: string,
  args: unknown[],
  next = call.steps.length,
): unknown {
  if (isTarget(receiver)) return run(call, memberOf(call, receiver, name, 'method'), receiver, args, next);
  call.isPlace = false;
  if (isForbidden(name) || isNativesOwn(receiver, name)) throw notFound('method', name);
  if (nodeOf(receiver) !== undefined || isNativeStub(receiver))
    return (receiver as Record<string, AnyMember>)[name](...args);
  if (isPlainData(receiver) && Object.hasOwn(receiver, name)) {
    const value = (receiver as Record<string, unknown>)[name];
    if (typeof value === 'function') return callFunction(call, value, args);
    throw notFound('method', name, 'it is data');
  }
  const mapped = runFor(call, undefined, () => mapOver(call, receiver, name, args));
  if (mapped !== undefined) return mapped.value;
  throw notFound('method', name);
}

/** Returns true for members that all objects have: those of a stub of the platform's would change or show the stub itself. */
function isNativesOwn(receiver: unknown, name: string): boolean {
  return isNativeStub(receiver) && Object.hasOwn(Object.prototype, name);
}

/** Calls a function that is on this side. */
export function callFunction(call: RunningCall, value: unknown, args: unknown[]): unknown {
  call.isPlace = false;
  if (typeof value !== 'function') throw notFound('function', typeof value, 'the result so far is none');
  requireRepeatable(call);
  return runFor(call, undefined, () => value(...args));
}

/** Reads a member of a value that is on this side. */
export function readMember(call: RunningCall, receiver: unknown, name: string): unknown {
  if (isTarget(receiver)) return run(call, memberOf(call, receiver, name, 'getter'), receiver, []);
  if (isForbidden(name) || isNativesOwn(receiver, name)) throw notFound('property', name);
  if (nodeOf(receiver) !== undefined || isNativeStub(receiver)) return (receiver as Record<string, unknown>)[name];
  if (isPlainData(receiver) && Object.hasOwn(receiver, name)) return (receiver as Record<string, unknown>)[name];
  if (name === 'size' && (receiver instanceof Map || receiver instanceof Set)) return receiver.size;
  throw notFound('property', name);
}

function run(call: RunningCall, declared: Declared, receiver: object, args: unknown[], next?: number): unknown {
  if (call.running.ageMs !== undefined || call.since !== undefined) requireRepeatable(call, declared, next);
  const isOnPlace = call.isPlace;
  call.isPlace &&= (declared.isRestorable || declared.getter !== undefined) && !OF_FRAMES.has(args);
  return declared.isDelivered
    ? deliver(call, declared, receiver, args, isOnPlace)
    : perform(call, declared, receiver, args);
}

/**
 * Refuses to run something again whose connection was lost, unless its class allows it. A subscription that goes on runs
 * its method again, and what leads to it only if that is allowed.
 */
function requireRepeatable(call: RunningCall, declared?: Declared, next = call.steps.length): void {
  const { running, steps, since } = call;
  const isAgain = running.ageMs !== undefined;
  if ((!isAgain && since === undefined) || declared?.isRestorable || declared?.delivery === 'again') return;
  const isLast = !steps.slice(next).some((step) => typeof step === 'object');
  if (isLast && (!isAgain || declared?.delivery === 'once')) return;
  if (!isAgain) {
    throw refusal(
      'REFERENCE_LOST',
      'the subscription cannot go on: a method that led to it is not declared restorable',
    );
  }
  const name = declared?.name ?? call.name;
  throw refusal('OUTCOME_UNKNOWN', `${name}() may have run: the connection was lost after the call was sent`);
}
