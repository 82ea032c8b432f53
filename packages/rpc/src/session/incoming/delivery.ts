import type { Outcome } from '../../protocol/result-frame.ts';

/**
 * The treatment of a call whose connection was lost before its answer arrived. Undefined: the call is not sent again.
 * `idempotent`: it is sent again. `exactlyOnce`: it is sent again, but if it has run, its stored result is the answer.
 */
export type Delivery = 'idempotent' | 'exactlyOnce' | undefined;

/** Facts about a running call that decide its delivery. */
export interface DeliveredCall {
  readonly callId: number;
  /** True if the call was made before, over a connection that was lost, and may have run. */
  readonly isResent?: boolean;
  /** The time since the call was first made, in milliseconds. */
  readonly ageMs?: number | undefined;
  /** True if the call makes many calls, through a callback of `map`. */
  isMany?: boolean;
  /**
   * A number that tells the call apart from others by its method and arguments. It is noted once, before a guard, a
   * schema or the method gets the arguments, which it may change.
   */
  payload?: number;
  /** True if the result is stored until the caller says that it has arrived. */
  isStored?: boolean;
}

/** The stored results of one client's calls. */
export interface ResultStore {
  /**
   * Runs a method and stores its result in the same transaction, unless the call is one of many. If the method has
   * already run under this call id, returns the stored result instead.
   * @throws {RpcError} `ID_REUSED` if another method or other arguments came under the id
   */
  run(call: DeliveredCall, method: string, args: unknown[], run: () => unknown): unknown;
  /**
   * Returns the stored outcome of a call that is sent again. Without `args`, which may not be there yet, nothing is
   * compared.
   */
  find(callId: number, method: string, args: unknown[] | undefined): Outcome | undefined;
  /** Deletes results that have arrived. */
  acknowledge(callIds: readonly number[]): void;
  /** Deletes all results, because the client has ended for good. */
  forget(): void;
}
