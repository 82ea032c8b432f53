import type { Position, Subscription } from '@lumenize/rpc';

/** The methods that clients call. Calls with effects pass the number of their client and their own number, `n`. */
export interface ChaosCalls {
  /** Adds one to the counter and returns it. Declared `exactlyOnce`. */
  increment(client: number, n: number): number;
  /** Adds one to another counter and returns it. Declares nothing. */
  bump(client: number, n: number): number;
  /** Returns the counter. Declared `idempotent`. */
  getValue(): number;
  /** Returns the number of the deployed code. Declared `idempotent`. */
  version(): number;
  /** Subscribes to the values of the counter after `since`. */
  follow(since: Position | 0): Subscription<number>;
}

/** A run of `increment` or `bump`, as stored by the object. */
export interface Run {
  readonly method: 'increment' | 'bump';
  readonly client: number;
  readonly n: number;
  /** The value that the run returned. */
  readonly value: number;
}

/** Everything that the object has stored. */
export interface Ledger {
  readonly increments: number;
  readonly bumps: number;
  readonly runs: readonly Run[];
}
