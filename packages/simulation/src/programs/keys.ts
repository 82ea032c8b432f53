import type { Refusal } from './program.ts';

/** The second argument of a call, behind its key: what it asks of the method. */
export interface Ask {
  readonly refuse?: Refusal;
  readonly count: number;
  /** For subscriptions: to which topic, and since when. */
  readonly topic?: number;
  readonly since?: number;
  /** After how long the caller gives up, in milliseconds. */
  readonly givesUpAfter?: number;
  /** Added by the schema, where there is one. */
  readonly checked?: boolean;
  /** Makes it as large as it is to be. */
  readonly weight?: string;
}

/** A row of the ledger. */
export interface LedgerRow {
  readonly id: number;
  readonly key: string;
  /** `begin` when the method was entered, `effect` when it had its effect, `sink` when a stream of the object was closed, `publish` when an event was. */
  readonly what: 'begin' | 'effect' | 'sink' | 'publish';
  readonly method: string;
  readonly value: number;
}

/** The object's report of itself. */
export interface ObjectReport {
  readonly rows: readonly LedgerRow[];
  readonly newest: readonly number[];
  /** Generators, streams and the like that have begun and not ended in this life of the object. */
  readonly live: Readonly<Record<string, number>>;
  /** Errors of methods, or of the library, that nobody planned. */
  readonly defects: readonly string[];
  readonly tables: Readonly<Record<string, number>>;
  readonly metrics: {
    readonly connections: number;
    readonly callsInFlight: number;
    readonly callsSucceeded: number;
    readonly callsFailed: number;
  };
}

/** The error that methods throw when they are asked to. */
export const PLANNED = 'as planned';

export function methodName(index: number): string {
  return `m${index}`;
}

export function wayName(index: number): string {
  return `w${index}`;
}
