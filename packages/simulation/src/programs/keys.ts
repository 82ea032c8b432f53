import type { Refusal, User } from './program.ts';

/** The second argument of a call, after its key: what the call requests of the method. */
export interface Ask {
  readonly refuse?: Refusal;
  readonly count: number;
  /** For subscriptions: the topic, and the event to continue after. */
  readonly topic?: number;
  readonly since?: number;
  /** The time after which the caller gives up, in milliseconds. */
  readonly givesUpAfter?: number;
  /** Added by the schema, if there is one. */
  readonly checked?: boolean;
  /** Padding that gives the call its size. */
  readonly weight?: string;
}

/** A row of the ledger. */
export interface LedgerRow {
  readonly id: number;
  readonly key: string;
  /**
   * `begin` when the method was entered, `effect` when it had its effect, `sink` when a stream of the object was
   * closed, `publish` when an event was published.
   */
  readonly what: 'begin' | 'effect' | 'sink' | 'publish';
  readonly method: string;
  readonly value: number;
  /** Who called, as `nameOfUser` says; null if nothing was called. */
  readonly who: string | null;
  /** The version of the class that did it. */
  readonly version: number;
}

/** A report of the object about itself. */
export interface ObjectReport {
  readonly rows: readonly LedgerRow[];
  readonly newest: readonly number[];
  /** Generators, streams and similar things that have begun and not ended in this life of the object. */
  readonly live: Readonly<Record<string, number>>;
  /** Errors of methods or of the library that were not planned. */
  readonly defects: readonly string[];
  readonly tables: Readonly<Record<string, number>>;
  readonly metrics: {
    readonly connections: number;
    readonly callsInFlight: number;
    readonly callsSucceeded: number;
    readonly callsFailed: number;
  };
}

/** The name of a client's user, by which the object knows it. */
export function nameOfUser(client: number, user: User): string {
  return isNobody(user) ? 'nobody' : `${client} ${user}`;
}

/** Returns true if there is no token of a user. */
export function isNobody(user: User): boolean {
  return user === 'undefined';
}

/** The message of the error that methods throw on request. */
export const PLANNED = 'as planned';

export function methodName(index: number): string {
  return `m${index}`;
}

export function wayName(index: number): string {
  return `w${index}`;
}
