import { RpcTarget } from '#platform';
import { restorable } from '../references/recipes.ts';

/** What a target's class says of a method: `static readonly rpc = { room: { restorable: true } }`. */
export interface MethodOptions {
  /** What the method returns, a target or a function, can be derived again by calling it in the same way: see the guide of references. */
  restorable?: boolean;
}

/** A member that a target's class declares: just one of the two. */
export interface Declared {
  method?: (...args: unknown[]) => unknown;
  /** Whether the method has never returned a promise; undefined until it has run. */
  isPrompt?: boolean;
  getter?: () => unknown;
}

/** Names that are methods on a prototype but mean something to the language or to promises. */
export const NEVER: ReadonlySet<string> = new Set(['constructor', '__proto__', 'then', 'toJSON']);

/** What each class declares, worked out once. */
const DECLARED = new WeakMap<object, ReadonlyMap<string, Declared>>();

/** Whether a value's class opted in to be called remotely. */
export function isTarget(value: unknown): value is RpcTarget {
  return value instanceof RpcTarget;
}

/**
 * Makes sure that a value can be served; `where` begins the message, such as "serveRpc() needs".
 * @throws {TypeError} where its class did not opt in
 */
export function requireTarget(value: unknown, where: string): asserts value is RpcTarget {
  if (!isTarget(value)) throw new TypeError(`${where} an instance of a class that extends RpcTarget`);
}

/** Collects the members from the target's own class up to `RpcTarget`; the most derived wins. */
export function declaredBy(target: RpcTarget): ReadonlyMap<string, Declared> {
  const own = Object.getPrototypeOf(target);
  const known = DECLARED.get(own);
  if (known !== undefined) return known;
  const declared = new Map<string, Declared>();
  const options = optionsOf(own);
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (declared.has(name) || NEVER.has(name)) continue;
      const { value, get } = Object.getOwnPropertyDescriptor(prototype, name)!;
      if (typeof value === 'function') {
        declared.set(name, { method: options[name]?.restorable ? restorable(name, value) : value });
      } else if (get !== undefined) declared.set(name, { getter: get });
    }
  }
  for (const name of Object.keys(options)) {
    if (declared.get(name)?.method === undefined) {
      throw new TypeError(`static rpc of ${own.constructor.name} speaks of ${name}, which is no method of it`);
    }
  }
  DECLARED.set(own, declared);
  return declared;
}

function optionsOf(prototype: { constructor: unknown }): Record<string, MethodOptions | undefined> {
  return (prototype.constructor as { rpc?: Record<string, MethodOptions> }).rpc ?? {};
}
