import type { Subscription } from '@lumenize/rpc';

/** What clients call under chaos. Every call that changes something says who makes it and as its how-manieth. */
export interface ChaosCalls {
  /** Adds one to the counter and returns it; declared to run exactly once. */
  increment(client: number, n: number): number;
  /** Adds one to another counter and returns it; nothing is declared of it. */
  bump(client: number, n: number): number;
  /** Returns the counter; declared idempotent. */
  getValue(): number;
  /** Returns the number of the deployed code; declared idempotent. */
  version(): number;
  /** Subscribes to the values that `increment` has raised the counter to, after one of them. */
  follow(since: number): Subscription<number>;
}

/** A run of `increment` or `bump`, as the object has stored it. */
export interface Run {
  readonly method: 'increment' | 'bump';
  readonly client: number;
  readonly n: number;
  /** What it returned. */
  readonly value: number;
}

/** All that the object has stored. */
export interface Ledger {
  readonly increments: number;
  readonly bumps: number;
  readonly runs: readonly Run[];
}
