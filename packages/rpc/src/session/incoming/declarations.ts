import type { RpcTarget } from '#platform';
import { isTarget } from '../references/by-reference.ts';
import type { RunningCall } from './call-context.ts';
import type { Delivery } from './delivery.ts';
import type { MethodOptions } from './method-options.ts';

/** Applies the options that classes give their methods. Servers provide it. */
export interface OptionSupport {
  /**
   * Completes the declarations of a target's class with the options of its `static rpc`.
   * @throws {TypeError} if the options are invalid
   */
  complete(target: object, declared: ReadonlyMap<string, Declared>): void;
  readonly deliver: Deliver;
}

/**
 * Returns the arguments that a method is to get, at once or later. Throws or rejects if the call may not be made. It
 * runs in the context of the call.
 */
export type Check = (call: RunningCall, args: unknown[]) => unknown[] | Promise<unknown[]>;

/** Runs a method for a call that must pass a check, that is sent again, or that is to take effect exactly once. */
export type Deliver = (
  call: RunningCall | undefined,
  declared: Declared | undefined,
  method: AnyMember,
  receiver: unknown,
  name: string,
  args: unknown[],
) => unknown;

export type AnyMember = (...args: unknown[]) => unknown;

/** A member that a target's class declares: either a method or a getter. */
export interface Declared {
  readonly method?: AnyMember | undefined;
  readonly getter?: AnyMember | undefined;
  /** True if the member has never returned a promise; undefined until it has run. */
  isPrompt?: boolean | undefined;
  /** The check that a call must pass before it runs. */
  check?: Check | undefined;
  /** True if the result of the method can be derived again. */
  isRestorable?: boolean | undefined;
  /** True if the method has no effect. */
  isReadOnly?: boolean | undefined;
  /** The treatment of a call whose connection was lost. */
  delivery?: Delivery;
  /** True if a call must be run with `deliver`. */
  isDelivered?: boolean | undefined;
}

/**
 * Returns true if members of that name have a meaning to the language or to promises, and are never reached remotely. An
 * engine without `Symbol.dispose` gives a method `[Symbol.dispose]` the name `undefined`. Stubs never ask for most of
 * these names: see `LOCAL` in `stub.ts`. The types leave them out: see `LocalKey` and `NeverRemote`.
 */
export function isForbidden(name: string): boolean {
  return /^(constructor|__proto__|then|toJSON|undefined)$/.test(name);
}

/** Hints at the probable mistake, by the type of the value that was given in place of a target. */
const HINTS: Readonly<Record<string, string>> = {
  Promise: ': is it async?',
  Function: ': a class has to be made an instance with new',
};

/** The declarations of each class, collected once. */
let known = new WeakMap<object, ReadonlyMap<string, Declared>>();

/** Undefined in a page, which need not load the code for it. */
export let support: OptionSupport | undefined;

/** Makes options of methods apply, and calls be checked, from now on. */
export function provideOptionSupport(provided: OptionSupport): void {
  if (support !== provided) known = new WeakMap();
  support = provided;
}

/**
 * Checks that a value can be served. `where` begins the error message, such as "serveRpc() needs".
 * @throws {TypeError} if its class did not opt in, or if its `static rpc` is invalid
 */
export function requireTarget(value: unknown, where: string): asserts value is RpcTarget {
  if (!isTarget(value)) {
    const kind = (value as object | null | undefined)?.constructor?.name ?? typeof value;
    let hint = HINTS[kind] ?? '';
    for (let at: object | null = Object(value); at; at = Object.getPrototypeOf(at)) {
      if (at.constructor?.name === 'RpcTarget') hint = ': its RpcTarget is of another copy of the package';
    }
    throw new TypeError(`${where} an instance of a class that extends RpcTarget, not of ${kind}${hint}`);
  }
  // Checked here and not with the first call, so that the author of the class sees the error.
  declaredBy(value);
}

/** Returns the declarations of a target's class; undefined for a value that is not a target. */
export function declarationsOf(value: unknown): ReadonlyMap<string, Declared> | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  return known.get(Object.getPrototypeOf(value)) ?? (isTarget(value) ? declaredBy(value) : undefined);
}

/**
 * Returns the member of that name that can be reached. A property of the target itself hides the member of its class.
 */
export function memberOf(target: object, name: string, members = declarationsOf(target)): Declared | undefined {
  return Object.hasOwn(target, name) ? undefined : members?.get(name);
}

/**
 * Collects the members from the target's own class up to `RpcTarget`. The most derived member wins. If it is neither a
 * method nor a getter, it hides the members that it overrides.
 */
export function declaredBy(target: RpcTarget): ReadonlyMap<string, Declared> {
  const own = Object.getPrototypeOf(target);
  const before = known.get(own);
  if (before !== undefined) return before;
  const declared = new Map<string, Declared>();
  const seen = new Set();
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    // Without the support of a server, the member would be open to everyone.
    if (support === undefined && Object.values((prototype.constructor as { rpc?: object }).rpc ?? {}).some(isChecked)) {
      throw new TypeError('static rpc: guard and args are for targets that a server serves');
    }
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (seen.has(name)) continue;
      seen.add(name);
      const { value, get: getter } = Object.getOwnPropertyDescriptor(prototype, name)!;
      const method = typeof value === 'function' ? value : undefined;
      // A getter cannot await. Unless it is checked, it cannot ask for its call after an `await`.
      if ((method ?? getter) && !isForbidden(name)) declared.set(name, { method, getter, isPrompt: getter && true });
    }
  }
  support?.complete(target, declared);
  known.set(own, declared);
  return declared;
}

function isChecked({ guard, args }: MethodOptions): boolean {
  return (guard ?? args) !== undefined;
}
