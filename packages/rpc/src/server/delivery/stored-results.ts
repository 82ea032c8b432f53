import { type CloneError, decode, encode } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { unsendableCode, unsendableReason } from '../../protocol/unsendable.ts';
import type { OfferedClient } from '../../protocol/version.ts';
import { mayHaveRun } from '../../session/incoming/delivery.ts';
import type { DeliveredCall, ResultStore } from '../../session/incoming/result-store.ts';
import { noteThrown } from '../../session/incoming/thrown.ts';
import { fingerprint } from './fingerprint.ts';
import type { StoredResultsOptions } from './stored-results-options.ts';

/** A row, as SQLite gives it. */
interface Row extends Record<string, SqlStorageValue> {
  payload: number;
  result: ArrayBuffer;
}

/** A connection of a client, and whether it is stored that there was one with its number. */
interface NotedConnection extends OfferedClient {
  isNoted: boolean;
}

/** So many results are stored between two looks for old ones. */
const PRUNE_EVERY = 1000;
/** A client acknowledges what it knows to be stored. Who mostly does not is not to keep the object busy: its results go by their age. */
const MAX_MISSED = 10_000;
/** Stands for the id of a call in the row that has the number of a client's newest connection in place of a payload. */
const ATTEMPT = -1;
/** The share of results that is dropped where there are too many. */
const DROPPED_SHARE = 0.1;

/**
 * What exactly-once methods returned, in the object's SQLite: a row a call, written in the transaction of the call's own
 * effects, so that either both are there or neither.
 */
export class StoredResults {
  readonly #storage: DurableObjectStorage;
  readonly #options: Required<StoredResultsOptions>;
  /** Undefined until the table is there. */
  #count: number | undefined;
  /** Whether it was looked for, and there is none. */
  #isMissing = false;
  #sincePruned = 0;
  /** Results of calls that were made before this moment may have been dropped, in milliseconds since 1970. */
  #droppedUntil = 0;

  constructor(storage: DurableObjectStorage, options: StoredResultsOptions = {}) {
    this.#storage = storage;
    this.#options = { retentionMs: 86_400_000, maxResults: 100_000, maxResultBytes: 1_048_576, ...options };
  }

  /** The results of a client, for one of its connections. */
  of(client: OfferedClient): ResultStore {
    const connection = { ...client, isNoted: false };
    let missed = 0;
    const acknowledge = (callId: number) =>
      this.#isThere() &&
      this.#delete('DELETE FROM lumenize_rpc_results WHERE client = ? AND call = ?', client.name, callId) > 0;
    return {
      run: (call, method, args, run) => this.#run(connection, call, method, args, run),
      find: (callId, method, args) => this.#find(client.name, callId, args && fingerprint(method, args)),
      acknowledge(callIds) {
        for (const callId of callIds) {
          if (missed > MAX_MISSED) return;
          if (!acknowledge(callId)) missed++;
        }
      },
    };
  }

  /**
   * Whether a client has made calls over a connection that it made after it sent this upgrade: what comes over this one has
   * been acknowledged by now, and would run again.
   */
  isOutdated({ name, attempt }: OfferedClient): boolean {
    if (!this.#isThere()) return false;
    const [noted] = this.#storage.sql
      .exec<{ payload: number }>(
        'SELECT payload FROM lumenize_rpc_results WHERE client = ? AND call = ?',
        name,
        ATTEMPT,
      )
      .toArray();
    return noted !== undefined && noted.payload >= attempt;
  }

  /** Lets go of all results of a client that will not come back. */
  forget(client: string): void {
    if (this.#isThere()) this.#delete('DELETE FROM lumenize_rpc_results WHERE client = ?', client);
  }

  #run(connection: NotedConnection, call: DeliveredCall, method: string, args: unknown[], run: () => unknown): unknown {
    const { name: client, attempt } = connection;
    const payload = fingerprint(method, args);
    const stored = this.#find(client, call.callId, payload);
    if (stored !== undefined) {
      call.isStored = true;
      if (!stored.ok) throw stored.error;
      return stored.value;
    }
    if (call.isAgain && this.#mayBeDropped(call.ageMs!)) throw mayHaveRun(method);
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
    this.#storage.sql.exec(
      'INSERT OR REPLACE INTO lumenize_rpc_results (client, call, payload, at) VALUES (?, ?, ?, ?)',
      client,
      ATTEMPT,
      attempt,
      Date.now(),
    );
  }

  #find(client: string, callId: number, payload: number | undefined): Outcome | undefined {
    if (!this.#isThere()) return undefined;
    const [row] = this.#storage.sql
      .exec<Row>('SELECT payload, result FROM lumenize_rpc_results WHERE client = ? AND call = ?', client, callId)
      .toArray();
    if (row === undefined) return undefined;
    if (payload !== undefined && payload !== row.payload) {
      const message = `another method or other arguments came under the id ${callId} of this client before`;
      return { ok: false, error: new RpcError('ID_REUSED', message) };
    }
    return { ok: true, value: decode(new Uint8Array(row.result)) };
  }

  #insert(client: string, callId: number, payload: number, result: Uint8Array<ArrayBuffer>): void {
    this.#storage.sql.exec(
      'INSERT INTO lumenize_rpc_results (client, call, payload, result, at) VALUES (?, ?, ?, ?, ?)',
      client,
      callId,
      payload,
      result,
      Date.now(),
    );
    this.#count!++;
  }

  #encode(method: string, returned: unknown): Uint8Array<ArrayBuffer> {
    if (returned instanceof Promise) {
      returned.catch(() => {});
      const hint = 'so that it must not return a promise: nothing was stored';
      throw noteThrown(new TypeError(`${method}() is declared to be exactlyOnce, ${hint}`));
    }
    let bytes: Uint8Array<ArrayBuffer>;
    try {
      bytes = encode(returned);
    } catch (error) {
      const why = unsendableReason(error as CloneError);
      const message = `the result of ${method}() cannot be stored, so that nothing was done: ${why}`;
      throw new RpcError(unsendableCode(error as CloneError), message, { cause: error });
    }
    const { maxResultBytes } = this.#options;
    if (bytes.length <= maxResultBytes) return bytes;
    const message = `the result of ${method}() is larger than maxResultBytes of ${maxResultBytes}: nothing was done`;
    throw new RpcError('TOO_LARGE', message);
  }

  /** Whether the result of a call that was first made so long ago may have been dropped. */
  #mayBeDropped(ageMs: number): boolean {
    return Date.now() - ageMs <= this.#droppedUntil || ageMs >= this.#options.retentionMs;
  }

  /** Whether anything was ever stored: who has no exactly-once methods is not to have a table for them. */
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
    const { sql } = this.#storage;
    const [{ count }] = sql.exec<{ count: number }>('SELECT COUNT(*) AS count FROM lumenize_rpc_results').toArray();
    // The client '' is the library's own: when results were dropped the last time.
    const [dropped] = sql.exec<{ at: number }>("SELECT at FROM lumenize_rpc_results WHERE client = ''").toArray();
    this.#count = count;
    this.#droppedUntil = dropped?.at ?? 0;
  }

  /** Drops what is too old or too many, every now and then. */
  #prune(): void {
    const { retentionMs, maxResults } = this.#options;
    if (++this.#sincePruned < PRUNE_EVERY && this.#count! <= maxResults) return;
    this.#sincePruned = 0;
    let until = Date.now() - retentionMs;
    if (this.#count! > maxResults) {
      const [last] = this.#storage.sql
        .exec<{ at: number }>(
          "SELECT at FROM lumenize_rpc_results WHERE client <> '' ORDER BY at LIMIT 1 OFFSET ?",
          Math.floor(this.#count! * DROPPED_SHARE),
        )
        .toArray();
      until = Math.max(until, last?.at ?? 0);
    }
    if (this.#delete("DELETE FROM lumenize_rpc_results WHERE at <= ? AND client <> ''", until) === 0) return;
    this.#droppedUntil = Math.max(this.#droppedUntil, until);
    this.#storage.sql.exec(
      "INSERT OR REPLACE INTO lumenize_rpc_results (client, call, at) VALUES ('', 0, ?)",
      this.#droppedUntil,
    );
  }

  #delete(statement: string, ...bindings: SqlStorageValue[]): number {
    const { rowsWritten } = this.#storage.sql.exec(statement, ...bindings);
    this.#count! -= rowsWritten;
    return rowsWritten;
  }
}
