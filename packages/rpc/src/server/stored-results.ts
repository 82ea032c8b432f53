import { decode, encode } from '@lumenize/structured-clone';
import { RpcError, refusal, unsendable } from '../errors.ts';
import type { RunningCall } from './context.ts';
import type { Declared } from './members.ts';
import type { OfferedClient } from './offer.ts';

/** Limits on the stored results of exactly-once calls. */
export interface StoredResultsOptions {
  /** How long a result is kept that its client has not acknowledged, in milliseconds. @default 86400000, a day */
  retentionMs?: number;
  /** Most results of an object. @default 100000 */
  maxResults?: number;
  /** Most bytes of all results of an object. @default 268435456 */
  maxBytes?: number;
  /** Most bytes of one result. @default 1048576: a row takes 2 MB */
  maxResultBytes?: number;
}

const DEFAULTS: Required<StoredResultsOptions> = {
  retentionMs: 86_400_000,
  maxResults: 100_000,
  maxBytes: 268_435_456,
  maxResultBytes: 1_048_576,
};

/** Results that are stored between two looks for those that are too old. */
const PRUNE_EVERY = 1000;
/** The share of the limits that is left when the oldest results are dropped. */
const KEPT_SHARE = 0.9;

const TABLES = `
  CREATE TABLE IF NOT EXISTS lumenize_rpc_results
    (client TEXT, call INTEGER, result, at INTEGER NOT NULL, PRIMARY KEY (client, call)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS lumenize_rpc_declared (method TEXT PRIMARY KEY, since INTEGER NOT NULL) WITHOUT ROWID`;

/** The known state of the table, which saves a question with each call. */
interface Totals {
  count: number;
  bytes: number;
  /** The time up to which results were dropped because of their age or number. */
  droppedUntil: number;
  /** Since when methods have been exactlyOnce, by their names. */
  readonly since: Map<string, number>;
}

/** Bytes of an answer beside its value, at most. */
const ANSWER_BYTES = 100;

/** Runs exactly-once calls, and has their results. */
export interface ResultStore {
  /** Runs a method, or returns the stored result of a call that has run before. */
  run(call: RunningCall, client: string | undefined, declared: Declared, method: () => unknown): unknown;
}

/** The results of exactly-once calls, in the transactions of their effects. */
export class StoredResults implements ResultStore {
  private readonly storage: DurableObjectStorage;
  private readonly options: Required<StoredResultsOptions>;
  /** When this object started, with the declarations that it has now. */
  private readonly startedAt: number;
  private totals: Totals | undefined;
  /** Each life of the object begins with pruning: it may store little before it ends. */
  private sincePruned = PRUNE_EVERY;

  constructor(storage: DurableObjectStorage, startedAt: number, options: StoredResultsOptions = {}) {
    this.storage = storage;
    this.startedAt = startedAt;
    const given = Object.entries(options).filter(([, value]) => value !== undefined);
    this.options = { ...DEFAULTS, ...Object.fromEntries(given) };
  }

  /**
   * Runs a method in one transaction with storing its result. A call that may have run before gets the result that it
   * has stored. For a client without a name nothing is stored, and nothing runs again.
   * @throws what the method throws, whose effects are rolled back; RpcError `OUTCOME_UNKNOWN` if nobody knows whether a
   * call ran before
   */
  run(call: RunningCall, client: string | undefined, declared: Declared, method: () => unknown): unknown {
    const { callId } = call;
    const { ageMs } = call.running;
    const { maxMessageBytes = Infinity } = call.peer?.settings.limits ?? {};
    // What is too large to be sent has no effect either.
    const most = Math.min(this.options.maxResultBytes, maxMessageBytes - ANSWER_BYTES);
    const runOnce = () => {
      const value = method();
      return { value, result: encodeResult(declared.name, value, most) };
    };
    if (client === undefined) {
      if (ageMs === undefined) return this.storage.transactionSync(runOnce).value;
      throw refusal('OUTCOME_UNKNOWN', `${declared.name}() may have run: results are not stored for this client`);
    }
    const totals = this.load();
    if (ageMs !== undefined) {
      const [row] = this.storage.sql
        .exec<{ result: string | ArrayBuffer }>(
          'SELECT result FROM lumenize_rpc_results WHERE client = ? AND call = ?',
          client,
          callId,
        )
        .toArray();
      if (row !== undefined) return decode(row.result);
      const madeAt = Date.now() - ageMs;
      // What ran before the method was declared so, or so long ago that results were dropped since, has left no row.
      if (madeAt <= totals.droppedUntil || madeAt < this.sinceOf(declared.name, totals)) {
        throw refusal(
          'OUTCOME_UNKNOWN',
          `${declared.name}() may have run before the connection was lost, and has no stored result`,
        );
      }
    }
    // Outside of the transaction, so that it is known even if the method throws.
    this.sinceOf(declared.name, totals);
    try {
      return this.storage.transactionSync(() => {
        const { value, result } = runOnce();
        this.load();
        this.storage.sql.exec(
          'INSERT INTO lumenize_rpc_results VALUES (?, ?, ?, ?)',
          client,
          callId,
          result,
          Date.now(),
        );
        totals.count++;
        totals.bytes += typeof result === 'string' ? result.length : result.byteLength;
        this.prune(totals);
        return value;
      });
    } catch (error) {
      // What memory has counted was rolled back.
      this.totals = undefined;
      throw error;
    }
  }

  /** Returns since when a method has been exactlyOnce, and notes it if it is the first time. */
  private sinceOf(method: string, { since }: Totals): number {
    let known = since.get(method);
    if (known === undefined) {
      known = this.startedAt;
      this.storage.sql.exec('INSERT OR IGNORE INTO lumenize_rpc_declared VALUES (?, ?)', method, known);
      since.set(method, known);
    }
    return known;
  }

  /** Makes the tables, unless they are known to be there. */
  private load(): Totals {
    const { sql } = this.storage;
    if (this.totals !== undefined && this.exists()) return this.totals;
    sql.exec(TABLES);
    const [dropped] = sql.exec<{ at: number }>("SELECT at FROM lumenize_rpc_results WHERE client = ''").toArray();
    const { count, bytes } = sql
      .exec<{ count: number; bytes: number }>(
        "SELECT COUNT(*) AS count, TOTAL(LENGTH(result)) AS bytes FROM lumenize_rpc_results WHERE client <> ''",
      )
      .one();
    const since = new Map<string, number>();
    for (const row of sql.exec<{ method: string; since: number }>('SELECT * FROM lumenize_rpc_declared'))
      since.set(row.method, row.since);
    this.totals = { count, bytes, droppedUntil: dropped?.at ?? 0, since };
    return this.totals;
  }

  /** Returns true if the table is there: `deleteAll()` deletes it with everything else. */
  private exists(): boolean {
    return (
      this.storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'lumenize_rpc_results'").toArray().length > 0
    );
  }

  /** Drops results that are too old, and the oldest ones if there are too many. */
  private prune(totals: Totals): void {
    const { retentionMs, maxResults, maxBytes } = this.options;
    const isTooMuch = totals.count > maxResults || totals.bytes > maxBytes;
    if (++this.sincePruned < PRUNE_EVERY && !isTooMuch) return;
    this.sincePruned = 0;
    const { sql } = this.storage;
    let until = Date.now() - retentionMs;
    if (isTooMuch) {
      let { count, bytes } = totals;
      const oldestFirst = "SELECT at, LENGTH(result) AS bytes FROM lumenize_rpc_results WHERE client <> '' ORDER BY at";
      for (const row of sql.exec<{ at: number; bytes: number }>(oldestFirst)) {
        if (count <= maxResults * KEPT_SHARE && bytes <= maxBytes * KEPT_SHARE) break;
        count--;
        bytes -= row.bytes;
        until = Math.max(until, row.at);
      }
    }
    if (this.delete("client <> '' AND at <= ?", until) === 0) return;
    totals.droppedUntil = Math.max(totals.droppedUntil, until);
    sql.exec("INSERT OR REPLACE INTO lumenize_rpc_results VALUES ('', 0, '', ?)", totals.droppedUntil);
  }

  /** Deletes the results of a client's calls with lower ids: all of them have settled. */
  acknowledge(client: Pick<OfferedClient, 'name'> | undefined, id: number): void {
    if (client !== undefined && this.exists()) this.delete('client = ? AND call < ?', client.name, id);
  }

  private delete(where: string, ...bindings: SqlStorageValue[]): number {
    const statement = `DELETE FROM lumenize_rpc_results WHERE ${where} RETURNING LENGTH(result) AS bytes`;
    const deleted = this.storage.sql.exec<{ bytes: number }>(statement, ...bindings).toArray();
    if (this.totals !== undefined) {
      this.totals.count -= deleted.length;
      for (const { bytes } of deleted) this.totals.bytes -= bytes;
    }
    return deleted.length;
  }
}

/**
 * Encodes the result of an exactly-once method for its row.
 * @throws if it cannot be stored
 */
export function encodeResult(name: string, value: unknown, maxBytes: number): string | Uint8Array<ArrayBuffer> {
  if (value instanceof Promise) {
    value.catch(() => {});
    throw new TypeError(
      `${name}() is declared to be exactlyOnce, so that it must not return a promise: nothing was stored`,
    );
  }
  try {
    return encode(value, { limits: { maxBytes } }) as string | Uint8Array<ArrayBuffer>;
  } catch (error) {
    if (/^maxBytes /.test((error as Error).message)) {
      throw new RpcError(
        'TOO_LARGE',
        `the result of ${name}() is larger than maxResultBytes or maxMessageBytes allow, ${maxBytes}: nothing was done`,
      );
    }
    throw unsendable(error, `the result of ${name}() cannot be stored, so that nothing was done: `);
  }
}
