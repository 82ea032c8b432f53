import { type CloneError, decode, type EncodeOptions, encode } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { unsendableCode, unsendableReason } from '../../protocol/errors.ts';
import { bytesOf, type Message, messageOf } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { ConnectedClient, OfferedClient } from '../../protocol/version.ts';
import type { DeliveredCall, ResultStore } from '../../session/incoming/delivery.ts';
import { noteThrown } from '../../session/incoming/thrown.ts';
import { withDefaults } from '../../session/limits.ts';
import type { StoredResultsOptions } from '../options.ts';

/** A row, as SQLite gives it. */
interface Row extends Record<string, SqlStorageValue> {
  payload: number;
  result: ArrayBuffer;
}

/** So many results are stored between two looks for old ones. */
const PRUNE_EVERY = 1000;
/** A client acknowledges what it knows to be stored. Who mostly does not is not to keep the object busy: its results go by their age. */
const MAX_MISSED = 10_000;
/** Stands for the id of a call in the row that has the number of a client's newest connection in place of a payload. */
const ATTEMPT = -1;
/** The share of what there may be that is kept where there is more. */
const KEPT_SHARE = 0.9;

const DEFAULTS = { retentionMs: 86_400_000, maxResults: 100_000, maxBytes: 268_435_456, maxResultBytes: 1_048_576 };

const TABLE =
  'CREATE TABLE IF NOT EXISTS lumenize_rpc_results (client TEXT, call INTEGER, payload INTEGER, result BLOB, at INTEGER, PRIMARY KEY (client, call)) WITHOUT ROWID';
const INSERT = 'INSERT INTO lumenize_rpc_results (client, call, payload, result, at) VALUES (?, ?, ?, ?, ?)';

/** A connection of a client, and whether it is stored that there was one with its number. */
interface NotedConnection extends ConnectedClient {
  isNoted: boolean;
}

/** The size of the table. */
interface Totals {
  /** Rows. */
  count: number;
  /** Bytes of all results together. */
  bytes: number;
  /** Results that were stored up to this moment may have been dropped, in milliseconds since 1970. */
  droppedUntil: number;
}

/**
 * Stores what exactly-once methods returned, in the object's SQLite: a row a call, written in the transaction of the call's own
 * effects, so that either both are there or neither.
 */
export class StoredResults {
  readonly #storage: DurableObjectStorage;
  readonly #options: Required<StoredResultsOptions>;
  /** Undefined until something is stored in this life of the object. */
  #totals: Totals | undefined;
  /** True if there was found to be no table: an object without exactly-once methods gets none. */
  #isMissing = false;
  #sincePruned = 0;

  constructor(storage: DurableObjectStorage, options: StoredResultsOptions = {}) {
    this.#storage = storage;
    this.#options = withDefaults(DEFAULTS, options);
  }

  /** Returns the results of a client, for one of its connections. */
  of(client: ConnectedClient): ResultStore {
    const connection = { ...client, isNoted: false };
    let missed = 0;
    const acknowledge = (callId: number) =>
      this.#delete('DELETE FROM lumenize_rpc_results WHERE client = ? AND call = ?', client.name, callId) > 0;
    return {
      run: (call, method, args, run) => this.#run(connection, call, method, args, run),
      find: (callId, method, args) => this.#find(client.name, callId, method, args),
      acknowledge(callIds) {
        for (const callId of callIds) {
          if (missed > MAX_MISSED) return;
          if (!acknowledge(callId)) missed++;
        }
      },
      forget: () => void this.#delete('DELETE FROM lumenize_rpc_results WHERE client = ?', client.name),
    };
  }

  /**
   * Returns true if a client has made calls over a connection that it made after it sent this upgrade: what comes over this one has
   * been acknowledged by now, and would run again.
   */
  isOutdated({ name, attempt }: OfferedClient): boolean {
    const query = 'SELECT payload FROM lumenize_rpc_results WHERE client = ? AND call = ?';
    const [noted] = this.#exec<{ payload: number }>(query, name, ATTEMPT);
    return noted !== undefined && noted.payload >= attempt;
  }

  #run(connection: NotedConnection, call: DeliveredCall, method: string, args: unknown[], run: () => unknown): unknown {
    const { name: client, attempt, since } = connection;
    const stored = this.#find(client, call.callId, method, args);
    if (stored !== undefined) {
      call.isStored = true;
      if (!stored.ok) throw stored.error;
      return stored.value;
    }
    const { droppedUntil } = this.#load();
    // How long frames were under way nobody knows; but this one was not sent before there was the connection, nor stored before it
    // was sent first.
    if (call.isAgain && since - (call.ageMs ?? 0) <= droppedUntil) {
      throw new RpcError('OUTCOME_UNKNOWN', `${method}() may have run: its result is not stored any more if it has`);
    }
    // Before the method has the arguments, which it may change.
    const payload = fingerprint(method, args);
    const result = this.#storage.transactionSync(() => {
      const returned = run();
      this.#insert(client, call.callId, payload, this.#encode(method, returned));
      if (!connection.isNoted) this.#noteAttempt(client, attempt);
      return returned;
    });
    connection.isNoted = true;
    call.isStored = true;
    this.#prune();
    return result;
  }

  #noteAttempt(client: string, attempt: number): void {
    const update = 'UPDATE lumenize_rpc_results SET payload = ?, at = ? WHERE client = ? AND call = ? RETURNING call';
    const updated = this.#exec(update, attempt, Date.now(), client, ATTEMPT);
    if (updated.length === 0) this.#insert(client, ATTEMPT, attempt, null);
  }

  /** Finds what was stored for a call; without `args` nothing is compared. */
  #find(client: string, callId: number, method: string, args: unknown[] | undefined): Outcome | undefined {
    const query = 'SELECT payload, result FROM lumenize_rpc_results WHERE client = ? AND call = ?';
    const [row] = this.#exec<Row>(query, client, callId);
    if (row === undefined) return undefined;
    if (args !== undefined && fingerprint(method, args) !== row.payload) {
      const message = `another method or other arguments came under the id ${callId} of this client before`;
      return { ok: false, error: new RpcError('ID_REUSED', message) };
    }
    return { ok: true, value: decode(messageOf(new Uint8Array(row.result))) };
  }

  #insert(client: string, callId: number, payload: number, result: Uint8Array<ArrayBuffer> | null): void {
    const values = [client, callId, payload, result, Date.now()] as SqlStorageValue[];
    this.#exec(INSERT, ...values);
    const wasMissing = this.#isMissing;
    const totals = this.#load();
    // The method itself has emptied the object.
    if (wasMissing) this.#exec(INSERT, ...values);
    totals.count++;
    totals.bytes += result?.length ?? 0;
  }

  #encode(method: string, returned: unknown): Uint8Array<ArrayBuffer> {
    if (returned instanceof Promise) {
      returned.catch(() => {});
      const hint = 'so that it must not return a promise: nothing was stored';
      throw noteThrown(new TypeError(`${method}() is declared to be exactlyOnce, ${hint}`));
    }
    const { maxResultBytes } = this.#options;
    try {
      // With bytes in it, the length of its text is there too.
      const bytes = bytesOf(encode(returned, { limits: { maxBytes: maxResultBytes } }));
      if (bytes.length <= maxResultBytes) return bytes;
    } catch (error) {
      const code = unsendableCode(error as CloneError);
      if (code !== 'TOO_LARGE') {
        const why = unsendableReason(error as CloneError);
        const message = `the result of ${method}() cannot be stored, so that nothing was done: ${why}`;
        throw new RpcError(code, message, { cause: error });
      }
    }
    const message = `the result of ${method}() is larger than maxResultBytes of ${maxResultBytes}: nothing was done`;
    throw new RpcError('TOO_LARGE', message);
  }

  /** Returns the totals, from a table that is made where there is none. */
  #load(): Totals {
    if (this.#totals !== undefined) return this.#totals;
    this.#storage.sql.exec(TABLE);
    this.#isMissing = false;
    // The client '' is the library's own: when results were dropped the last time.
    const [dropped] = this.#exec<{ at: number }>("SELECT at FROM lumenize_rpc_results WHERE client = ''");
    const [{ count, bytes, oldest }] = this.#exec<{ count: number; bytes: number; oldest: number | null }>(
      "SELECT COUNT(*) AS count, TOTAL(LENGTH(result)) AS bytes, MIN(at) AS oldest FROM lumenize_rpc_results WHERE client <> ''",
    );
    this.#totals = { count, bytes, droppedUntil: dropped?.at ?? 0 };
    // An object that hibernates often may never store as many in one of its lives as there are between two looks.
    if (oldest !== null && oldest <= Date.now() - this.#options.retentionMs) this.#sincePruned = PRUNE_EVERY;
    return this.#totals;
  }

  /** Drops what is too old, too many or too much, every now and then. */
  #prune(): void {
    const totals = this.#load();
    let { count, bytes } = totals;
    const { retentionMs, maxResults, maxBytes } = this.#options;
    const isTooMuch = count > maxResults || bytes > maxBytes;
    if (++this.#sincePruned < PRUNE_EVERY && !isTooMuch) return;
    this.#sincePruned = 0;
    let until = Date.now() - retentionMs;
    if (isTooMuch) {
      const oldestFirst = "SELECT at, LENGTH(result) AS bytes FROM lumenize_rpc_results WHERE client <> '' ORDER BY at";
      for (const row of this.#exec<{ at: number; bytes: number | null }>(oldestFirst)) {
        if (count <= maxResults * KEPT_SHARE && bytes <= maxBytes * KEPT_SHARE) break;
        count--;
        bytes -= row.bytes ?? 0;
        until = Math.max(until, row.at);
      }
    }
    if (this.#delete("DELETE FROM lumenize_rpc_results WHERE at <= ? AND client <> ''", until) === 0) return;
    totals.droppedUntil = Math.max(totals.droppedUntil, until);
    const note = "INSERT OR REPLACE INTO lumenize_rpc_results (client, call, at) VALUES ('', 0, ?)";
    this.#exec(note, totals.droppedUntil);
  }

  /** Deletes rows, and returns how many. */
  #delete(statement: string, ...bindings: SqlStorageValue[]): number {
    const returning = `${statement} RETURNING LENGTH(result) AS bytes`;
    const deleted = this.#exec<{ bytes: number | null }>(returning, ...bindings);
    const totals = this.#totals;
    if (totals === undefined) return deleted.length;
    totals.count -= deleted.length;
    for (const { bytes } of deleted) totals.bytes -= bytes ?? 0;
    return deleted.length;
  }

  /** Runs a statement and returns its rows: none where the table is gone, as after `deleteAll()`. With it went all that was to be known. */
  #exec<Found extends Record<string, SqlStorageValue>>(statement: string, ...bindings: SqlStorageValue[]): Found[] {
    if (this.#isMissing) return [];
    try {
      return this.#storage.sql.exec<Found>(statement, ...bindings).toArray();
    } catch (error) {
      // A class of before SQLite can never have it; it is served all the same, as long as nothing has to be stored.
      if (!/no such table|SQL is not enabled/.test((error as Error).message)) throw error;
      this.#totals = undefined;
      this.#isMissing = true;
      return [];
    }
  }
}

/** More is not gone through: a result that is used often takes its whole length each time. */
const OPTIONS: EncodeOptions = {
  limits: { maxBytes: 1_048_576 },
  // Targets, functions and streams are all alike: calls with them are never made again.
  extend: () => ({ name: 'other', parts: [] }),
};

/**
 * A number that tells calls from each other by method and arguments: 53 bits, against mistakes and not against attackers,
 * who could only deceive themselves. Arguments that take more than 1 MiB, or hold a Blob, whose bytes are not at hand, do not
 * count.
 */
export function fingerprint(method: string, args: unknown[]): number {
  let message: Message;
  try {
    message = encode([method, args], OPTIONS);
  } catch {
    message = JSON.stringify(method);
  }
  let high = message.length;
  let low = 0x9e3779b9;
  for (let at = 0; at < message.length; at++) {
    const unit = typeof message === 'string' ? message.charCodeAt(at) : message[at];
    high = Math.imul(high ^ unit, 0x85ebca6b);
    low = Math.imul(low ^ unit, 0xc2b2ae35) + (high >>> 15);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
