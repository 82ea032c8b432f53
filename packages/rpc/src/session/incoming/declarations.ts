import type { RpcTarget } from '#platform';
import { isTarget } from '../references/by-reference.ts';
import { type RunningCall, runIn } from './call-context.ts';
import type { Delivery } from './delivery.ts';
import type { MethodOptions } from './method-options.ts';

/** What it takes to do as classes say of their methods, beyond what a page needs. */
export interface OptionSupport {
  /**
   * Makes sure that the options of a method, or without one of a getter, which `name` tells of in messages, are some.
   * @throws {TypeError} where they are not
   */
  requireForm(options: unknown, name: string, method: AnyMember | undefined): void;
  /** Makes what looks whether a call may be made of a method or a getter. */
  createCheck(options: MethodOptions, name: string): Check;
  readonly deliver: Deliver;
}

/**
 * Returns the arguments that a method is to get, at once or later; throws, or rejects, where the call may not be made. Is run as
 * what answers the call.
 */
export type Check = (call: RunningCall, args: unknown[]) => unknown[] | Promise<unknown[]>;

/** Runs a method for a call that has to pass a check, that is made again, or that is to have an effect exactly once. */
export type Deliver = (
  call: RunningCall,
  declared: Declared | undefined,
  method: AnyMember,
  receiver: unknown,
  name: string,
  args: unknown[],
) => unknown;

export type AnyMember = (...args: unknown[]) => unknown;

/** A member that a target's class declares: just one of the two. */
export interface Declared {
  method?: AnyMember;
  /** Whether the method has never returned a promise; undefined until it has run. */
  isPrompt?: boolean;
  getter?: AnyMember;
  /** What a call has to pass before it runs. */
  check?: Check | undefined;
  /** Whether what the method returns can be derived again. */
  isRestorable?: boolean | undefined;
  /** Whether it has no effect. */
  isReadOnly?: boolean;
  /** What becomes of a call whose connection was lost. */
  delivery?: Delivery;
  /** Whether more is to be done for a call than to run it. */
  isDelivered?: boolean;
}

/**
 * Names that are methods on a prototype but mean something to the language or to promises; `undefined` is what an engine
 * without `Symbol.dispose` calls a method `[Symbol.dispose]`.
 */
export const NEVER: ReadonlySet<string> = new Set(['constructor', '__proto__', 'then', 'toJSON', 'undefined']);

/** What was probably meant, by what was given in place of a target. */
const HINTS: Readonly<Record<string, string>> = {
  Promise: ', which nobody awaits here: target() cannot be asynchronous',
  Function: ': a class has to be made an instance with new',
};

/** What each class declares, worked out once. */
const DECLARED = new WeakMap<object, ReadonlyMap<string, Declared>>();

let support: OptionSupport | undefined;

/** Has options looked at and calls checked from now on. Servers do; a page's bundle need not hold what it takes. */
export function provideOptionSupport(provided: OptionSupport): void {
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

/** Finds the member of that name that can be reached: a property of the target itself hides what its class declares. */
export function memberOf(target: RpcTarget, name: string): Declared | undefined {
  const declared = (DECLARED.get(Object.getPrototypeOf(target)) ?? declaredBy(target)).get(name);
  return declared !== undefined && Object.hasOwn(target, name) ? undefined : declared;
}

/**
 * Collects the members from the target's own class up to `RpcTarget`; the most derived wins, and where it is neither a
 * method nor a getter, hides those that it overrides.
 */
export function declaredBy(target: RpcTarget): ReadonlyMap<string, Declared> {
  const own = Object.getPrototypeOf(target);
  const known = DECLARED.get(own);
  if (known !== undefined) return known;
  const declared = new Map<string, Declared>();
  const options = optionsOf(own);
  const unmatched = new Set(options.keys());
  const hidden = new Set<string>();
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (NEVER.has(name)) continue;
      const { value, get: getter } = Object.getOwnPropertyDescriptor(prototype, name)!;
      const method = typeof value === 'function' ? value : undefined;
      const isMember = method !== undefined || getter !== undefined;
      if (isMember) unmatched.delete(name);
      else if (!declared.has(name)) hidden.add(name);
      if (isMember && !declared.has(name) && !hidden.has(name)) {
        declared.set(name, declare(`${own.constructor.name}.${name}`, method, getter, options.get(name)));
      }
    }
  }
  for (const name of unmatched) {
    throw new TypeError(`static rpc of ${own.constructor.name} speaks of ${name}, which is no method of it`);
  }
  DECLARED.set(own, declared);
  return declared;
}

function declare(
  full: string,
  method: AnyMember | undefined,
  getter: AnyMember | undefined,
  options: MethodOptions | undefined,
): Declared {
  if (options !== undefined) support?.requireForm(options, full, method);
  const { args, exactlyOnce, guard, idempotent, readOnly, restorable } = options ?? {};
  const isChecked = guard !== undefined || args !== undefined;
  // Not without them: it would be open to all.
  if (isChecked && !support) {
    throw new TypeError(`static rpc: guard and args of ${full} are for targets that a server serves`);
  }
  const isGetter = getter !== undefined;
  return {
    method,
    getter,
    isPrompt: isGetter && !isChecked ? true : undefined,
    check: isChecked ? support?.createCheck(options!, full) : undefined,
    delivery: exactlyOnce ? 'exactlyOnce' : isGetter || restorable || readOnly || idempotent ? 'idempotent' : undefined,
    isDelivered: isChecked || exactlyOnce,
    isReadOnly: readOnly,
    isRestorable: restorable,
  };
}

/** Runs a method as the server does that serves it; where there is none, nothing is made again. */
export const deliver: Deliver = (call, declared, method, receiver, name, args) =>
  support === undefined
    ? runIn(call, method, receiver, args)
    : support.deliver(call, declared, method, receiver, name, args);

/** What the classes of a target say, by its own prototype; of a method that several speak of, the most derived one counts. */
export function optionsOf(own: object): ReadonlyMap<string, MethodOptions> {
  const all = new Map<string, MethodOptions>();
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    const { rpc = {} } = prototype.constructor as { rpc?: object };
    for (const [name, options] of Object.entries(rpc)) if (!all.has(name)) all.set(name, options);
  }
  return all;
}
