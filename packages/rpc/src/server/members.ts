import { RpcTarget } from '#platform';
import { RpcError } from '../errors/rpc-error.ts';

/** A member that a target's class declares: just one of the two. */
interface Declared {
  method?: (...args: unknown[]) => unknown;
  getter?: () => unknown;
}

/** What each class declares, worked out once. */
const DECLARED = new WeakMap<object, ReadonlyMap<string, Declared>>();

/** Names that are methods on a prototype but mean something to the language or to promises. */
const NEVER = new Set(['constructor', '__proto__', 'then', 'toJSON']);

/** Whether a value's class opted in to be called remotely. */
export function isTarget(value: unknown): value is RpcTarget {
  return value instanceof RpcTarget;
}

/**
 * Calls the method that a path of one name leads to.
 * @throws {RpcError} `METHOD_NOT_FOUND` where the receiver declares none of that name; nothing runs
 */
export function callMember(receiver: unknown, name: string, args: unknown[]): unknown {
  const method = isTarget(receiver) ? declaredBy(receiver).get(name)?.method : undefined;
  if (method === undefined) throw notFound('method', name, receiver);
  return Reflect.apply(method, receiver, args);
}

/**
 * Reads the property that a path of one name leads to: a getter of a target, or a property of plain data itself.
 * @throws {RpcError} `METHOD_NOT_FOUND` where the receiver has none of that name
 */
export function readMember(receiver: unknown, name: string): unknown {
  if (isTarget(receiver)) {
    const declared = declaredBy(receiver).get(name);
    if (declared?.getter !== undefined) return Reflect.apply(declared.getter, receiver, []);
    if (declared?.method !== undefined) {
      throw new RpcError('METHOD_NOT_FOUND', `${name} is a method: call it, with parentheses`);
    }
  } else if (isPlainData(receiver) && Object.hasOwn(receiver, name)) {
    return (receiver as Record<string, unknown>)[name];
  }
  throw notFound('property', name, receiver);
}

function notFound(kind: string, name: string, receiver: unknown): RpcError {
  const what = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}…` : name);
  const type = receiver === null ? 'null' : typeof receiver;
  return new RpcError(
    'METHOD_NOT_FOUND',
    isTarget(receiver)
      ? `no remote ${kind} ${what}: only methods and getters declared in a class that extends RpcTarget can be reached`
      : `no remote ${kind} ${what}: its receiver is no RpcTarget but of type ${type}`,
  );
}

/** Collects the members from the target's own class up to `RpcTarget`; the most derived wins. */
function declaredBy(target: RpcTarget): ReadonlyMap<string, Declared> {
  const own = Object.getPrototypeOf(target);
  const known = DECLARED.get(own);
  if (known !== undefined) return known;
  const declared = new Map<string, Declared>();
  for (let prototype = own; isTarget(prototype); prototype = Object.getPrototypeOf(prototype)) {
    for (const name of Object.getOwnPropertyNames(prototype)) {
      if (declared.has(name) || NEVER.has(name)) continue;
      const { value, get } = Object.getOwnPropertyDescriptor(prototype, name)!;
      if (typeof value === 'function') declared.set(name, { method: value });
      else if (get !== undefined) declared.set(name, { getter: get });
    }
  }
  DECLARED.set(own, declared);
  return declared;
}

function isPlainData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
