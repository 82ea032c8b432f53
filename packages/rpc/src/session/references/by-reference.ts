import { isNativeStub, RpcTarget } from '#platform';
import { nodeOf } from '../outgoing/node.ts';

/** Returns true if a value's class opted in to be called remotely. */
export function isTarget(value: unknown): value is RpcTarget {
  // Stubs extend `RpcTarget` too, but only the platform treats them as targets.
  return typeof value === 'object' && value instanceof RpcTarget && nodeOf(value) === undefined;
}

/** Returns true if a value stands for something elsewhere. The place that it stands for decides what may be reached. */
export function isRemote(value: unknown): boolean {
  return nodeOf(value) !== undefined || isNativeStub(value);
}

/** Returns true if a value travels by reference: a target, a function, or a stub for something elsewhere. */
export function isByReference(value: object): boolean {
  return typeof value === 'function' || value instanceof RpcTarget || isRemote(value);
}

/** Calls the disposer of a target that is no longer held, as the RPC of Workers does. */
export function dispose(value: object): void {
  if (!isTarget(value)) return;
  try {
    (value as Partial<Disposable>)[Symbol.dispose]?.();
  } catch (error) {
    // The error is a defect of the target, and must not end the connection.
    console.error('a target failed to be disposed of:', error);
  }
}
