import { isNativeStub, RpcTarget } from '#platform';
import { type RpcError, refusal } from '../errors.ts';
import { nodeOf } from './stub.ts';

/** Functions and targets of this library's own, such as those of streams: calls of them take no turns. */
export const OURS = new WeakSet<object>();

/** Returns true if a value's class opted in to be called remotely. */
export function isTarget(value: unknown): value is RpcTarget {
  // Stubs extend `RpcTarget` too, but only the platform treats them as targets.
  return typeof value === 'object' && value instanceof RpcTarget && nodeOf(value) === undefined;
}

/** Calls the disposer of a target that is no longer held, as the RPC of Workers does. */
export function disposeOf(value: unknown): void {
  if (!isTarget(value)) return;
  try {
    (value as Partial<Disposable>)[Symbol.dispose]?.();
  } catch (error) {
    // The error is a defect of the target, and must not end the connection.
    console.error('a target failed to be disposed of:', error);
  }
}

/** Returns true if members of that name have a meaning to the language or to promises, and are never reached remotely. */
export function isForbidden(name: string): boolean {
  return /^(constructor|__proto__|then|toJSON|undefined)$/.test(name);
}

/** Creates the error for a member that a value does not have. `why` explains it. */
export function notFound(kind: string, name: string, why = 'its receiver is no RpcTarget that declares it'): RpcError {
  const what = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}...` : name);
  return refusal('METHOD_NOT_FOUND', `no ${kind} ${what}: ${why}`);
}

/** Returns true if a value is an array or a plain object. */
export function isPlainData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || Object.getPrototypeOf(prototype) === null;
}

/** Finds what is reached by a name: what the class of a target declares, a member of a stub, or a property of data. */
function memberOf(value: unknown, name: string): PropertyDescriptor | undefined {
  if (isForbidden(name)) return undefined;
  const isOwn = Object.hasOwn(Object(value), name);
  if (isTarget(value)) {
    // A property of the target itself hides the member of its class.
    let found = isOwn ? {} : undefined;
    for (let of = Object.getPrototypeOf(value); isTarget(of) && !found; of = Object.getPrototypeOf(of)) {
      found = Object.getOwnPropertyDescriptor(of, name);
    }
    return found;
  }
  const isReached =
    nodeOf(value) !== undefined ||
    isNativeStub(value) ||
    (isOwn && isPlainData(value)) ||
    (name === 'size' && (value instanceof Map || value instanceof Set));
  return isReached ? { value: (value as Record<string, unknown>)[name] } : undefined;
}

/** Reads a member of a value that is on this side. */
export function readMember(value: unknown, name: string): unknown {
  const found = memberOf(value, name);
  if (found?.get !== undefined) return found.get.call(value);
  if (found === undefined || isTarget(value)) throw notFound('property', name);
  return found.value;
}

/** Calls a method of a value that is on this side, or the value itself if there is no name. */
export function callMember(value: unknown, name: string | undefined, args: unknown[]): unknown {
  const method = name === undefined ? value : memberOf(value, name)?.value;
  if (typeof method !== 'function') throw notFound('method', name ?? typeof value);
  return Reflect.apply(method, name === undefined ? undefined : value, args);
}
