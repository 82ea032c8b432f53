import { type CloneError, decode, type EncodeOptions, encode } from '@lumenize/structured-clone';
import { resolveLimits } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import { unsendableCode, unsendableReason } from '../../protocol/errors.ts';
import { bytesOf, type Message, messageOf } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { ConnectedClient, OfferedClient } from '../../protocol/version.ts';
import { isPromise } from '../../session/brand.ts';
import type { DeliveredCall, ResultStore } from '../../session/incoming/delivery.ts';
import { noteThrown } from '../../session/incoming/thrown.ts';
import { withDefaults } from '../../session/limits.ts';
import { DEFAULTS, type StoredResultsOptions } from './stored-results-options.ts';

/** A row as SQLite returns it. */
interface Row extends Record<string, SqlStorageValue> {
  payload: number;
  result: ArrayBuffer;
}

/** Number of results that are stored between two searches for old ones. */
const PRUNE_EVERY = 1000;
/**
 * Number of unknown ids that a client may acknowledge over one connection. Further acknowledgements are ignored so that
 * they do not keep the object busy; its results are then deleted by age.
 */
const MAX_MISSED = 10_000;
/** Bytes and levels that a result takes in a message besides its own. */
const ENTRY_BYTES = 64;
const ENTRY_LEVELS = 1;
/** The call id of the row that holds the attempt number of a client's newest connection in place of a payload. */
const ATTEMPT = -1;
/** The share of a limit that is kept when results exceed it. */
const KEPT_SHARE = 0.9;

// Objects that have the table keep it as it is: a new column needs an `ALTER TABLE` as well.
const TABLE =
  'CREATE TABLE IF NOT EXISTS lumenize_rpc_results (client TEXT, call INTEGER, payload INTEGER, result BLOB, at INTEGER, PRIMARY KEY (client, call)) WITHOUT ROWID';
const INSERT = 'INSERT INTO lumenize_rpc_results (client, call, payload, result, at) VALUES (?, ?, ?, ?, ?)';

/** Stands for a client that does not say its name. Its calls are never sent again. */
const NOBODY: ConnectedClient = { name: 'nobody', attempt: 0, since: 0 };

/** A connection of a client. */
interface NotedConnection extends ConnectedClient {
  /** True once its attempt number is stored. */
  isNoted: boolean;
  /**
   * True once the client has ended for good, so that nothing more is stored. A call that waited meanwhile, for example
   * for a guard, may still run.
   */
  hasLeft: boolean;
}

/** The size of the table. */
interface Totals {
  /** Number of rows. */
  count: number;
  /** Bytes of all results together. */
  bytes: number;
  /** Time up to which stored results may have been dropped, in milliseconds since 1970. */
  droppedUntil: number;
}

/**
 * Stores the results of exactly-once methods in the object's SQLite storage. Each call has a row, written in the
 * transaction of the call's own effects, so that either both exist or neither.
 */
export class StoredResults {
  readonly #storage: DurableObjectStorage;
  readonly #options: Required<StoredResultsOptions>;
  /** Undefined until something is stored in this life of the object. */
  #totals: Totals | undefined;
  /** True if the table was found missing: an object without exactly-once methods gets none. */
  #isMissing = false;
  #sincePruned = 0;

  constructor(storage: DurableObjectStorage, options: StoredResultsOptions = {}, maxMessageBytes = Infinity) {
    this.#storage = storage;
    this.#options = withDefaults(DEFAULTS, options);
    // What cannot be sent is not stored, so that the call has no effect.
    this.#options.maxResultBytes = Math.max(0, Math.min(this.#options.maxResultBytes, maxMessageBytes - ENTRY_BYTES));
  }

  /** Returns the stored results of a client, for one of its connections. Nothing is stored for a client without a name. */
  of(client = NOBODY): ResultStore {
    const connection = { ...client, isNoted: false, hasLeft: client === NOBODY };
    let missed = 0;
    const acknowledge = (callId: number) =>
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
        connection.hasLeft = true;
        this.#delete('DELETE FROM lumenize_rpc_results WHERE client = ?', client.name);
      },
    };
  }

  /**
   * Returns true if the client has made exactly-once calls over a connection that is not older than this upgrade.
   * Frames that arrive over an outdated connection have been acknowledged by now, and would run again.
   */
  isOutdated({ name, attempt }: OfferedClient): boolean {
    const query = 'SELECT payload FROM lumenize_rpc_results WHERE client = ? AND call = ?';
    const [noted] = this.#exec<{ payload: number }>(query, name, ATTEMPT);
    return noted !== undefined && noted.payload >= attempt;
  }

  #run(connection: NotedConnection, call: DeliveredCall, method: string, args: unknown[], run: () => unknown): unknown {
    const { name: client, attempt, since } = connection;
    const perform = () => {
      const returned = run();
      return { returned, encoded: encodeResult(method, returned, this.#options.maxResultBytes) };
    };
    const doubt = `${method}() may have run: its result is not stored any more if it has`;
    // In a callback of `map` many calls share one id, so that their stored results could not be told apart.
    if (connection.hasLeft || call.isMany) {
      if (call.isResent) throw new RpcError('OUTCOME_UNKNOWN', doubt);
      return this.#storage.transactionSync(() => perform().returned);
    }
    call.payload ??= fingerprint(method, args);
    const { payload } = call;
    const stored = this.#find(client, call.callId, () => payload);
    if (stored !== undefined) {
      call.isStored = true;
      if (!stored.ok) throw stored.error;
      return stored.value;
    }
    const { droppedUntil } = this.#load();
    // A result stored up to `droppedUntil` may have been dropped. The frame's time under way is unknown, but the frame
    // was not sent before the connection was accepted. So the call was not first sent, nor its result stored, before
    // `since - ageMs`.
    if (call.isResent && since - (call.ageMs ?? 0) <= droppedUntil) throw new RpcError('OUTCOME_UNKNOWN', doubt);
    let result: unknown;
    let isCounted = false;
    try {
      result = this.#storage.transactionSync(() => {
        const { returned, encoded } = perform();
        isCounted = true;
        this.#insert(client, call.callId, payload, encoded);
        if (!connection.isNoted) this.#noteAttempt(client, attempt);
        // In the transaction, so that a call whose effect stays does not reject because other results cannot be
        // dropped.
        this.#prune();
        return returned;
      });
    } catch (error) {
      // The table is again what it was, and is counted anew. Most calls that fail have changed nothing in it.
      if (isCounted) {
        this.#totals = undefined;
        this.#isMissing = false;
      }
      throw error;
    }
    connection.isNoted = true;
    call.isStored = true;
    return result;
  }

  #noteAttempt(client: string, attempt: number): void {
    const update = 'UPDATE lumenize_rpc_results SET payload = ?, at = ? WHERE client = ? AND call = ? RETURNING call';
    const updated = this.#exec(update, attempt, Date.now(), client, ATTEMPT);
    if (updated.length === 0) this.#insert(client, ATTEMPT, attempt, null);
  }

  /** Returns the stored outcome of a call. Without `payload`, nothing is compared. */
  #find(client: string, callId: number, payload: (() => number) | undefined): Outcome | undefined {
    const query = 'SELECT payload, result FROM lumenize_rpc_results WHERE client = ? AND call = ?';
    const [row] = this.#exec<Row>(query, client, callId);
    return row && storedOutcome(callId, { ...row, result: new Uint8Array(row.result) }, payload?.());
  }

  #insert(client: string, callId: number, payload: number, result: Uint8Array<ArrayBuffer> | null): void {
    const values = [client, callId, payload, result, Date.now()] as SqlStorageValue[];
    this.#exec(INSERT, ...values);
    const wasMissing = this.#isMissing;
    const totals = this.#load();
    // The method itself may have emptied the object's storage; `#load` has made the table again.
    if (wasMissing) this.#exec(INSERT, ...values);
    totals.count++;
    totals.bytes += result?.length ?? 0;
  }

  /** Returns the totals; makes the table if there is none. */
  #load(): Totals {
    if (this.#totals !== undefined) return this.#totals;
    this.#storage.sql.exec(TABLE);
    this.#isMissing = false;
    // The row of client '' is the library's own: it holds the time up to which results have been dropped.
    const [dropped] = this.#exec<{ at: number }>("SELECT at FROM lumenize_rpc_results WHERE client = ''");
    const [{ count, bytes, oldest }] = this.#exec<{ count: number; bytes: number; oldest: number | null }>(
      "SELECT COUNT(*) AS count, TOTAL(LENGTH(result)) AS bytes, MIN(at) AS oldest FROM lumenize_rpc_results WHERE client <> ''",
    );
    this.#totals = { count, bytes, droppedUntil: dropped?.at ?? 0 };
    // An object that hibernates often may never store `PRUNE_EVERY` results in one of its lives.
    if (oldest !== null && oldest <= Date.now() - this.#options.retentionMs) this.#sincePruned = PRUNE_EVERY;
    return this.#totals;
  }

  /**
   * Drops results that are too old, once every `PRUNE_EVERY` results, and the oldest ones as soon as there are too many
   * results or bytes.
   */
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

  /**
   * Runs a statement and returns its rows. Returns none if the table is missing, for example after `deleteAll()`, which
   * deletes all stored results with it.
   */
  #exec<Found extends Record<string, SqlStorageValue>>(statement: string, ...bindings: SqlStorageValue[]): Found[] {
    if (this.#isMissing) return [];
    try {
      return this.#storage.sql.exec<Found>(statement, ...bindings).toArray();
    } catch (error) {
      // A class without SQLite storage never has the table. It is served as long as no result has to be stored.
      if (!/no such table|SQL is not enabled/.test((error as Error).message)) throw error;
      this.#totals = undefined;
      this.#isMissing = true;
      return [];
    }
  }
}

/**
 * Encodes the result of an exactly-once method, to store it.
 * @throws if the result is a promise, is too large, or cannot be stored
 */
export function encodeResult(
  method: string,
  returned: unknown,
  maxResultBytes = DEFAULTS.maxResultBytes,
): Uint8Array<ArrayBuffer> {
  if (isPromise(returned)) {
    returned.then(undefined, () => {});
    const hint = 'so that it must not return a promise: nothing was stored';
    throw noteThrown(new TypeError(`${method}() is declared to be exactlyOnce, ${hint}`));
  }
  try {
    // A message with bytes also holds the length of its text, which `maxBytes` does not count.
    const maxDepth = resolveLimits(undefined).maxDepth - ENTRY_LEVELS;
    const bytes = bytesOf(encode(returned, { limits: { maxBytes: maxResultBytes, maxDepth } }));
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

/** A result that `encodeResult` encoded, and the fingerprint of its call. */
export interface StoredResult {
  readonly payload: number;
  readonly result: Uint8Array<ArrayBuffer>;
}

/** Returns the outcome of a call whose result is stored. Without `payload`, nothing is compared. */
export function storedOutcome(callId: number, stored: StoredResult, payload: number | undefined): Outcome {
  if (payload === undefined || payload === stored.payload) {
    return { ok: true, value: decode(messageOf(stored.result)) };
  }
  const message = `another method or other arguments came under the id ${callId} of this client before`;
  return { ok: false, error: new RpcError('ID_REUSED', message) };
}

/** Larger arguments are not encoded: a result that occurs many times in them takes its whole length each time. */
const OPTIONS: EncodeOptions = {
  limits: { maxBytes: 1_048_576 },
  // Targets, functions and streams need not be told apart: calls that pass them are never sent again.
  extend: () => ({ name: 'other', parts: [] }),
};

/**
 * Returns a number that tells calls apart by method and arguments. Its 53 bits protect against mistakes, not against
 * attackers, who could only deceive themselves. Arguments are left out if they take more than 1 MiB, or hold a Blob,
 * whose bytes are not at hand.
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
