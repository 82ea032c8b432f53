// What stands in where there is no Workers runtime: browsers, and targets that are served in Node.

import type { Turns } from '../incoming/turns.ts';

/** The base of all targets: extending it is the opt-in to be called remotely. In a Worker this is the platform's own class. */
export const RpcTarget = class RpcTarget {} as unknown as abstract new () => RpcTarget;

/** The platform's mark, written out: in a page nothing declares the platform, and the class would be of no type at all. */
export interface RpcTarget {
  readonly __RPC_TARGET_BRAND: never;
}

/** The base of stubs. */
export const StubBase = class {};

/** Makes what the platform passes on in place of a stub. Here it passes none. */
export const lend: ((stub: object) => object) | undefined = undefined;

/** True if a client may send whenever it likes, also when garbage collection calls. */
export const SENDS_AT_ANY_TIME: boolean = true;

/** Bytes that a stream of bytes allocates for each read: none, chunks are passed on as they arrived. */
export const READ_BYTES: number | undefined = undefined;

/** Has calls that a client answers take turns, where that matters. Nothing here holds events back. */
export const createTurns: ((host: { flush(): void }) => Turns) | undefined = undefined;

/** Returns true for a stub of the platform's own RPC, or a binding. There are none here. */
export function isNativeStub(_value: unknown): boolean {
  return false;
}
