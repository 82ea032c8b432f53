import type { Outcome } from '../../protocol/result-frame.ts';

/**
 * Treatment of a call whose connection was lost before its answer came. If undefined, it is not made again.
 * `idempotent`: it is. `exactlyOnce`: it is, unless it has run, in which case its stored result is the answer.
 */
export type Delivery = 'idempotent' | 'exactlyOnce' | undefined;

/** Facts about a running call that decide its delivery. */
export interface DeliveredCall {
  readonly callId: number;
  /** True if it was made before, over a connection that was lost, and may have run. */
  readonly isAgain?: boolean;
  /** Time since it was made first, in milliseconds. */
  readonly ageMs?: number | undefined;
  /** True if it makes many calls, by a callback of `map`. */
  isMany?: boolean;
  /** True if its result is stored until the caller says that it has arrived. */
  isStored?: boolean;
}

/** The stored results of one client's calls. */
export interface ResultStore {
  /**
   * Runs a method that has not run under this call id, and stores what it returns in the same transaction; returns what was
   * stored where it has.
   * @throws {RpcError} `ID_REUSED` where another method or other arguments came under the id
   */
  run(call: DeliveredCall, method: string, args: unknown[], run: () => unknown): unknown;
  /**
   * Returns the stored outcome of a call that is made again; without `args`, which are not there yet, nothing is
   * compared.
   */
  find(callId: number, method: string, args: unknown[] | undefined): Outcome | undefined;
  /** Lets go of results that have arrived. */
  acknowledge(callIds: readonly number[]): void;
  /** Lets go of all of them: the client has ended for good. */
  forget(): void;
}
