import { RpcError } from '../errors/rpc-error.ts';

/**
 * Accesses the members of a value that is on this side. Each method throws an `RpcError` with `METHOD_NOT_FOUND` if the
 * value has no such member.
 */
export interface Members {
  /** Reads a property. */
  read(receiver: unknown, name: string): unknown;
  /** Calls a method. */
  call(receiver: unknown, name: string, args: unknown[]): unknown;
  /** Calls a function. */
  apply(value: unknown, args: unknown[]): unknown;
}

/**
 * Reads a property of data.
 * @throws {RpcError} `METHOD_NOT_FOUND` if the data has no such property
 */
export function readData(receiver: unknown, name: string): unknown {
  if (isPlainData(receiver) && Object.hasOwn(receiver, name)) return (receiver as Record<string, unknown>)[name];
  if (name === 'size' && (receiver instanceof Map || receiver instanceof Set)) return receiver.size;
  throw notFound('property', name);
}

/** Creates the error for a member that a value does not have. `why` explains it. */
export function notFound(kind: string, name: string, why = 'its receiver is no RpcTarget'): RpcError {
  const what = JSON.stringify(name.length > 100 ? `${name.slice(0, 100)}...` : name);
  return new RpcError('METHOD_NOT_FOUND', `no ${kind} ${what}: ${why}`);
}

/** Returns true if a value is an array or a plain object. */
export function isPlainData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Methods of arrays that only read. */
const OF_LISTS = ['at', 'slice', 'includes', 'indexOf', 'join'];

/** Returns true if `name` is a method of a collection that only reads. */
export function isReadOnlyMethod(receiver: unknown, name: string): boolean {
  if (!(receiver instanceof Object)) return false;
  const prototype = Object.getPrototypeOf(receiver);
  if (prototype === Array.prototype) return OF_LISTS.includes(name);
  const isMap = prototype === Map.prototype;
  return name === 'has' ? isMap || prototype === Set.prototype : isMap && name === 'get';
}
