import { RpcError } from '../errors/rpc-error.ts';

/** Goes on from a value that is here. Each throws an `RpcError` with `METHOD_NOT_FOUND` where the value has none of that name. */
export interface Members {
  /** Reads a property. */
  read(receiver: unknown, name: string): unknown;
  /** Calls a method. */
  call(receiver: unknown, name: string, args: unknown[]): unknown;
  /** Calls a function. */
  apply(value: unknown, args: unknown[]): unknown;
}

/** Methods of lists that read and change nothing. */
const OF_LISTS: ReadonlySet<string> = new Set(['at', 'slice', 'includes', 'indexOf', 'join']);

/** Reads properties and calls methods of results that are data: there is nothing else without references. */
export const DATA_MEMBERS: Members = {
  read(receiver, name) {
    if (isPlainData(receiver) && Object.hasOwn(receiver, name)) return (receiver as Record<string, unknown>)[name];
    if (hasSize(receiver, name)) return receiver.size;
    throw noMember('property', name);
  },
  call(receiver, name, args) {
    if (!isReading(receiver, name)) throw noMember('method', name);
    return Reflect.apply((receiver as Record<string, () => unknown>)[name], receiver, args);
  },
  apply() {
    throw noMember('function', 'call');
  },
};

function noMember(kind: string, name: string): RpcError {
  return new RpcError('METHOD_NOT_FOUND', `no ${kind} ${JSON.stringify(name)}: its receiver is data that has arrived`);
}

/** Whether a value is a list or an object that is nothing but its properties. */
export function isPlainData(value: unknown): value is object {
  if (typeof value !== 'object' || value === null) return false;
  if (Array.isArray(value)) return true;
  const prototype = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}

/** Whether a name is that of the size of a collection. */
export function hasSize(value: unknown, name: string): value is { readonly size: number } {
  return name === 'size' && (value instanceof Map || value instanceof Set);
}

/** Whether a name is that of a method of a collection which only reads. */
export function isReading(receiver: unknown, name: string): boolean {
  if (typeof receiver !== 'object' || receiver === null) return false;
  switch (Object.getPrototypeOf(receiver)) {
    case Array.prototype:
      return OF_LISTS.has(name);
    case Map.prototype:
      return name === 'get' || name === 'has';
    case Set.prototype:
      return name === 'has';
    default:
      return false;
  }
}
