import type { RpcTarget } from '#platform';
import { isTarget } from '../references/by-reference.ts';
import type { RunningCall } from './call-context.ts';
import type { Delivery } from './delivery.ts';
import type { MethodOptions } from './method-options.ts';

/** Does as classes say of their methods: a server does. */
export interface OptionSupport {
  /**
   * Completes what a class declares by what its `static rpc` says.
   * @throws {TypeError} where that cannot be
   */
  complete(own: object, declared: ReadonlyMap<string, Declared>): void;
  readonly deliver: Deliver;
}

/**
 * Returns the arguments that a method is to get, at once or later; throws, or rejects, where the call may not be made. Is run as
 * what answers the call.
 */
export type Check = (call: RunningCall, args: unknown[]) => unknown[] | Promise<unknown[]>;

/** Runs a method for a call that has to pass a check, that is made again, or that is to have an effect exactly once. */
export type Deliver = (
  call: RunningCall | undefined,
  declared: Declared | undefined,
  method: AnyMember,
  receiver: unknown,
  name: string,
  args: unknown[],
) => unknown;

export type AnyMember = (...args: unknown[]) => unknown;

/** A member that a target's class declares: just one of the two. */
export interface Declared {
  readonly method?: AnyMember | undefined;
  readonly getter?: AnyMember | undefined;
  /** True if it has never returned a promise; undefined until it has run. */
  isPrompt?: boolean | undefined;
  /** Check that a call has to pass before it runs. */
  check?: Check | undefined;
  /** True if what the method returns can be derived again. */
  isRestorable?: boolean | undefined;
  /** True if it has no effect. */
  isReadOnly?: boolean | undefined;
  /** Treatment of a call whose connection was lost. */
  delivery?: Delivery;
  /** True if a call needs more than to be run. */
  isDelivered?: boolean | undefined;
}

/**
 * Names that are methods on a prototype but mean something to the language or to promises; `undefined` is what an engine
 * without `Symbol.dispose` calls a method `[Symbol.dispose]`.
 */
export const NEVER: ReadonlySet<string> = new Set(['constructor', '__proto__', 'then', 'toJSON', 'undefined']);

/** Hints at what was probably meant, by what was given in place of a target. */
const HINTS: Readonly<Record<string, string>> = {
  Promise: ', which nobody awaits here: target() cannot be asynchronous',
  Function: ': a class has to be made an instance with new',
};

/** Declarations of each class, worked out once. */
let known = new WeakMap<object, ReadonlyMap<string, Declared>>();

/** Undefined in a page: it need not hold what that takes. */
export let support: OptionSupport | undefined;

/** Has options looked at and calls checked from now on. */
export function provideOptionSupport(provided: OptionSupport): void {
  if (support !== provided) known = new WeakMap();
  support = provided;
}

/**
 * Makes sure that a value can be served; `where` begins the message, such as "serveRpc() needs".
 * @throws {TypeError} where its class did not opt in, or its `static rpc` says what cannot be
 */
export function requireTarget(value: unknown, where: string): asserts value is RpcTarget {
  if (!isTarget(value)) {
    const kind = (value as object | null | undefined)?.constructor?.name ?? typeof value;
    throw new TypeError(`${where} an instance of a class that extends RpcTarget, not of ${kind}${HINTS[kind] ?? ''}`);
  }
  // Here, and not with the first call: whoever writes the class is to see it.
  declaredBy(value);
}

/** Returns what the class of a target declares; undefined for what is no target. */
export function declarationsOf(value: unknown): ReadonlyMap<string, Declared> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return known.get(Object.getPrototypeOf(value)) ?? (isTarget(value) ? declaredBy(value) : undefined);
}

/** Finds the member of that name that can be reached: a property of the target itself hides what its class declares. */
export function memberOf(target: object, name: string): Declared | undefined {
  const declared = declarationsOf(target)?.get(name);
  return declared !== undefined && Object.hasOwn(target, name) ? undefined : declared;
}

/**
 * Collects the members from the target's own class up to `RpcTarget`; the most derived wins, and where it is neither a
 * method nor a getter, hides those that it overrides.
 */
export function declaredBy(target: RpcTarget): ReadonlyMap<string, Declared> {
  const own = Object.getPrototypeOf(target);
  const before = known.get(own);
  if (before !== undefined) return before;
  const declared = new Map<string, Declared>();
  const seen = new Set<string>(NEVER);
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    // Not without the support of a server: it would be open to all.
    if (support === undefined && Object.values((prototype.constructor as { rpc?: object }).rpc ?? {}).some(isChecked)) {
      throw new TypeError('static rpc: guard and args are for targets that a server serves');
    }
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const { value, get: getter } = Object.getOwnPropertyDescriptor(prototype, name)!;
      const method = typeof value === 'function' ? value : undefined;
      // A getter cannot await: unless it is checked, it does not ask for its call after that.
      if (method ?? getter) declared.set(name, { method, getter, isPrompt: getter && true });
    }
  }
  support?.complete(own, declared);
  known.set(own, declared);
  return declared;
}

function isChecked({ guard, args }: MethodOptions): boolean {
  return (guard ?? args) !== undefined;
}
