import { type CloneError, createEncoder, decode, type Extension, encode } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { unsendableCode, unsendableReason } from '../../protocol/unsendable.ts';
import type { ConnectedClient, OfferedClient } from '../../protocol/version.ts';
import type { DeliveredCall, ResultStore } from '../../session/incoming/result-store.ts';
import { noteThrown } from '../../session/incoming/thrown.ts';
import { withDefaults } from '../../session/with-defaults.ts';
import type { StoredResultsOptions } from '../options.ts';

/** A row, as SQLite gives it. */
interface Row extends Record<string, SqlStorageValue> {
  payload: number;
  result: ArrayBuffer;
}

/** A connection of a client, and whether it is stored that there was one with its number. */
interface NotedConnection extends ConnectedClient {
  isNoted: boolean;
}

/** So many results are stored between two looks for old ones. */
const PRUNE_EVERY = 1000;
/** A client acknowledges what it knows to be stored. Who mostly does not is not to keep the object busy: its results go by their age. */
const MAX_MISSED = 10_000;
/** Stands for the id of a call in the row that has the number of a client's newest connection in place of a payload. */
const ATTEMPT = -1;
/** The share of what there may be that is kept where there is more. */
const KEPT_SHARE = 0.9;

/**
 * Stores what exactly-once methods returned, in the object's SQLite: a row a call, written in the transaction of the call's own
 * effects, so that either both are there or neither.
 */
export class StoredResults {
  readonly #storage: DurableObjectStorage;
  readonly #options: Required<StoredResultsOptions>;
  /** How many rows there are; undefined until the table is there. */
  #count: number | undefined;
  /** Bytes that their results take. */
  #bytes = 0;
  /** True if it was looked for, and there is none. */
  #isMissing = false;
  #sincePruned = 0;
  /** Results that were stored up to this moment may have been dropped, in milliseconds since 1970. */
  #droppedUntil = 0;

  constructor(storage: DurableObjectStorage, options: StoredResultsOptions = {}) {
    this.#storage = storage;
    const defaults = { retentionMs: 86_400_000, maxResults: 100_000, maxBytes: 268_435_456, maxResultBytes: 1_048_576 };
    this.#options = withDefaults(defaults, options);
  }

  /** The results of a client, for one of its connections. */
  of(client: ConnectedClient): ResultStore {
    const connection = { ...client, isNoted: false };
    let missed = 0;
    const acknowledge = (callId: number) =>
      this.#isThere() &&
      this.#delete('DELETE FROM lumenize_rpc_results WHERE client = ? AND call = ?', client.name, callId) > 0;
    return {
      run: (call, method, args, run) => this.#run(connection, call, method, args, run),
      find: (callId, method, args) => this.#find(client.name, callId, args && (() => fingerprint(method, args))),
      acknowledge(callIds) {
        for (const callId of callIds) {
          if (missed > MAX_MISSED) return;
          if (!acknowledge(callId)) missed++;
        }
      },
      forget: () => {
        if (this.#isThere()) this.#delete('DELETE FROM lumenize_rpc_results WHERE client = ?', client.name);
      },
    };
  }

  /**
   * Returns true if a client has made calls over a connection that it made after it sent this upgrade: what comes over this one has
   * been acknowledged by now, and would run again.
   */
  isOutdated({ name, attempt }: OfferedClient): boolean {
    if (!this.#isThere()) return false;
    const [noted] = this.#select<{ payload: number }>(
      'SELECT payload FROM lumenize_rpc_results WHERE client = ? AND call = ?',
      name,
      ATTEMPT,
    );
    return noted !== undefined && noted.payload >= attempt;
  }

  #run(connection: NotedConnection, call: DeliveredCall, method: string, args: unknown[], run: () => unknown): unknown {
    const { name: client, attempt } = connection;
    const payload = fingerprint(method, args);
    const stored = this.#find(client, call.callId, () => payload);
    if (stored !== undefined) {
      call.isStored = true;
      if (!stored.ok) throw stored.error;
      return stored.value;
    }
    if (call.isAgain && this.#mayBeDropped(connection, call.ageMs)) {
      throw new RpcError('OUTCOME_UNKNOWN', `${method}() may have run: its result is not stored any more if it has`);
    }
    this.#create();
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
    const update = 'UPDATE lumenize_rpc_results SET payload = ?, at = ? WHERE client = ? AND call = ?';
    const updated = this.#exec(update, attempt, Date.now(), client, ATTEMPT);
    if (updated === undefined || updated.rowsWritten === 0) this.#insert(client, ATTEMPT, attempt, null);
  }

  /** `payload` is only asked for where there is a result: most calls that are sent again have none. */
  #find(client: string, callId: number, payload: (() => number) | undefined): Outcome | undefined {
    if (!this.#isThere()) return undefined;
    const query = 'SELECT payload, result FROM lumenize_rpc_results WHERE client = ? AND call = ?';
    const [row] = this.#select<Row>(query, client, callId);
    if (row === undefined) return undefined;
    if (payload !== undefined && payload() !== row.payload) {
      const message = `another method or other arguments came under the id ${callId} of this client before`;
      return { ok: false, error: new RpcError('ID_REUSED', message) };
    }
    return { ok: true, value: decode(new Uint8Array(row.result)) };
  }

  #insert(client: string, callId: number, payload: number, result: Uint8Array<ArrayBuffer> | null): void {
    const insert = 'INSERT INTO lumenize_rpc_results (client, call, payload, result, at) VALUES (?, ?, ?, ?, ?)';
    const values = [client, callId, payload, result, Date.now()] as SqlStorageValue[];
    if (this.#exec(insert, ...values) === undefined) {
      // The method itself has emptied the object.
      this.#create();
      this.#storage.sql.exec(insert, ...values);
    }
    this.#count!++;
    this.#bytes += result?.length ?? 0;
  }

  #encode(method: string, returned: unknown): Uint8Array<ArrayBuffer> {
    if (returned instanceof Promise) {
      returned.catch(() => {});
      const hint = 'so that it must not return a promise: nothing was stored';
      throw noteThrown(new TypeError(`${method}() is declared to be exactlyOnce, ${hint}`));
    }
    const { maxResultBytes } = this.#options;
    try {
      // A text that is in it many times would take its whole length each time.
      const bytes = encode(returned, { limits: { maxBytes: maxResultBytes } });
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

  /**
   * Returns true if the result of a call that was first sent so long before it was sent again may have been dropped. How long frames
   * were under way nobody knows; but this one was not sent before there was the connection, nor stored before it was sent first.
   */
  #mayBeDropped({ since }: ConnectedClient, ageMs: number): boolean {
    return since - ageMs <= this.#droppedUntil;
  }

  /** Returns true if anything was ever stored: an object without exactly-once methods gets no table for them. */
  #isThere(): boolean {
    if (this.#count !== undefined) return true;
    if (this.#isMissing) return false;
    this.#isMissing = !this.#hasTable();
    if (!this.#isMissing) this.#open();
    return !this.#isMissing;
  }

  #hasTable(): boolean {
    try {
      const found = this.#storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'lumenize_rpc_results'");
      return found.toArray().length > 0;
    } catch (error) {
      // A class of before SQLite can never have it; it is served all the same, as long as nothing has to be stored.
      if (!(error as Error).message.includes('SQL is not enabled')) throw error;
      return false;
    }
  }

  #create(): void {
    if (this.#count !== undefined) return;
    this.#storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS lumenize_rpc_results (client TEXT, call INTEGER, payload INTEGER, result BLOB, at INTEGER, PRIMARY KEY (client, call)) WITHOUT ROWID',
    );
    this.#open();
  }

  #open(): void {
    // The client '' is the library's own: when results were dropped the last time.
    const [dropped] = this.#select<{ at: number }>("SELECT at FROM lumenize_rpc_results WHERE client = ''");
    const [{ count, bytes, oldest }] = this.#select<{ count: number; bytes: number; oldest: number | null }>(
      "SELECT COUNT(*) AS count, TOTAL(LENGTH(result)) AS bytes, MIN(at) AS oldest FROM lumenize_rpc_results WHERE client <> ''",
    );
    this.#count = count;
    this.#bytes = bytes;
    this.#droppedUntil = dropped?.at ?? 0;
    // An object that hibernates often may never store as many in one of its lives as there are between two looks.
    if (oldest !== null && oldest <= Date.now() - this.#options.retentionMs) this.#sincePruned = PRUNE_EVERY;
  }

  /** Drops what is too old, too many or too much, every now and then. */
  #prune(): void {
    const { retentionMs, maxResults, maxBytes } = this.#options;
    const isTooMuch = this.#count! > maxResults || this.#bytes > maxBytes;
    if (++this.#sincePruned < PRUNE_EVERY && !isTooMuch) return;
    this.#sincePruned = 0;
    let until = Date.now() - retentionMs;
    if (isTooMuch) {
      let [count, bytes] = [this.#count!, this.#bytes];
      const oldestFirst = "SELECT at, LENGTH(result) AS bytes FROM lumenize_rpc_results WHERE client <> '' ORDER BY at";
      for (const row of this.#select<{ at: number; bytes: number | null }>(oldestFirst)) {
        if (count <= maxResults * KEPT_SHARE && bytes <= maxBytes * KEPT_SHARE) break;
        count--;
        bytes -= row.bytes ?? 0;
        until = Math.max(until, row.at);
      }
    }
    if (this.#delete("DELETE FROM lumenize_rpc_results WHERE at <= ? AND client <> ''", until) === 0) return;
    this.#droppedUntil = Math.max(this.#droppedUntil, until);
    this.#storage.sql.exec(
      "INSERT OR REPLACE INTO lumenize_rpc_results (client, call, at) VALUES ('', 0, ?)",
      this.#droppedUntil,
    );
  }

  /** Deletes rows, and returns how many. */
  #delete(statement: string, ...bindings: SqlStorageValue[]): number {
    const deleted = this.#select<{ bytes: number | null }>(
      `${statement} RETURNING LENGTH(result) AS bytes`,
      ...bindings,
    );
    if (this.#count !== undefined) this.#count -= deleted.length;
    for (const { bytes } of deleted) this.#bytes -= bytes ?? 0;
    return deleted.length;
  }

  #select<Found extends Record<string, SqlStorageValue>>(query: string, ...bindings: SqlStorageValue[]): Found[] {
    return this.#exec<Found>(query, ...bindings)?.toArray() ?? [];
  }

  /** Runs a statement; undefined where the table is gone, as after `deleteAll()`: with it went all that was to be known. */
  #exec<Found extends Record<string, SqlStorageValue>>(
    statement: string,
    ...bindings: SqlStorageValue[]
  ): SqlStorageCursor<Found> | undefined {
    try {
      return this.#storage.sql.exec<Found>(statement, ...bindings);
    } catch (error) {
      if (!(error as Error).message.includes('no such table')) throw error;
      this.#count = undefined;
      this.#isMissing = true;
      return undefined;
    }
  }
}

/** A text that is in the arguments often takes a few bytes each time in a frame, and its whole length here. */
const MAX_BYTES = 1_048_576;

/** Targets, functions and streams are all alike: calls with them are never made again. */
const extend = (): Extension => ({ kind: 0, payload: null });

/** One for all: to make one takes longer than to encode few arguments. */
const encoder = createEncoder({ extend, limits: { maxBytes: MAX_BYTES } });

/**
 * A number that tells calls from each other by method and arguments: 53 bits, against mistakes and not against attackers,
 * who could only deceive themselves. Arguments that take more than 1 MiB, or hold a Blob, whose bytes are not at hand, do not
 * count.
 */
export function fingerprint(method: string, args: unknown[]): number {
  try {
    encoder.write([method, args]);
  } catch {
    encoder.write(method);
  }
  const bytes = encoder.finish();
  let high = bytes.length;
  let low = 0x9e3779b9;
  for (const byte of bytes) {
    high = Math.imul(high ^ byte, 0x85ebca6b);
    low = Math.imul(low ^ byte, 0xc2b2ae35) + (high >>> 15);
  }
  return (high & 0x1fffff) * 2 ** 32 + (low >>> 0);
}
