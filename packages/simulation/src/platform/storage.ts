import type { Database } from './database.ts';
import { KvStorage, type ListOptions } from './kv.ts';
import { SqlStorage } from './sql.ts';

/** The life of an object, from the point of view of its storage. */
export interface StorageHost {
  /** Runs a job that the object waits for. No event is let in until the job is done. */
  waitFor<Result>(job: () => Result): Promise<Result>;
  /** Resolves when all writes are durable. */
  durable(): Promise<void>;
  /** Runs a function during which only events that it causes itself are let in. */
  exclusively<Result>(job: () => Promise<Result>): Promise<Result>;
  /** Holds back the commit of writes until `isHeld` is false again. */
  holdCommit(isHeld: boolean): void;
}

/** The storage inside a transaction. */
interface Transaction
  extends Pick<DurableStorage, 'get' | 'put' | 'delete' | 'list' | 'getAlarm' | 'setAlarm' | 'deleteAlarm'> {
  rollback(): void;
}

/** `ctx.storage` of an object with SQLite. */
export class DurableStorage {
  readonly kv: KvStorage;
  readonly sql: SqlStorage;
  readonly #database: Database;
  readonly #host: StorageHost;
  #depth = 0;

  constructor(database: Database, host: StorageHost) {
    this.#database = database;
    this.#host = host;
    this.kv = new KvStorage(database);
    this.sql = new SqlStorage(database);
  }

  transactionSync<Result>(job: () => Result): Result {
    return this.#database.nested(`sync_${this.#depth++}`, () => {
      const result = job();
      if (typeof (result as { then?: unknown } | null)?.then === 'function') {
        throw new TypeError('transactionSync() callback must not return a promise');
      }
      return result;
    });
  }

  async transaction<Result>(job: (transaction: Transaction) => Promise<Result> | Result): Promise<Result> {
    return this.#host.exclusively(async () => {
      const name = `async_${this.#depth++}`;
      this.#host.holdCommit(true);
      this.#database.begin(name);
      let isRolledBack = false;
      const rollback = () => {
        if (!isRolledBack) this.#database.rollBack(name);
        isRolledBack = true;
      };
      try {
        const result = await job(this.#within(rollback));
        if (!isRolledBack) this.#database.release(name);
        return result;
      } catch (error) {
        rollback();
        throw error;
      } finally {
        this.#host.holdCommit(false);
      }
    });
  }

  get(keys: string | string[]): Promise<unknown> {
    return this.#host.waitFor(() => (typeof keys === 'string' ? this.kv.get(keys) : this.#getAll(keys)));
  }

  put(key: string | Record<string, unknown>, value?: unknown): Promise<void> {
    return this.#host.waitFor(() => {
      for (const [each, given] of typeof key === 'string' ? [[key, value] as const] : Object.entries(key)) {
        this.kv.put(each, given);
      }
    });
  }

  delete(keys: string | string[]): Promise<boolean | number> {
    return this.#host.waitFor(() =>
      typeof keys === 'string' ? this.kv.delete(keys) : keys.filter((key) => this.kv.delete(key)).length,
    );
  }

  list(options?: ListOptions): Promise<Map<string, unknown>> {
    return this.#host.waitFor(() => new Map(this.kv.list(options)));
  }

  deleteAll(): Promise<void> {
    return this.#host.waitFor(() => this.#database.deleteAll());
  }

  sync(): Promise<void> {
    return this.#host.durable();
  }

  getAlarm(): Promise<number | null> {
    return this.#host.waitFor(() => this.#database.alarm);
  }

  setAlarm(at: number | Date): Promise<void> {
    return this.#host.waitFor(() => this.#database.setAlarm(Number(at)));
  }

  deleteAlarm(): Promise<void> {
    return this.#host.waitFor(() => this.#database.setAlarm(null));
  }

  /** Returns the storage that a transaction receives. */
  #within(rollback: () => void): Transaction {
    return {
      get: (keys) => this.get(keys),
      put: (key, value) => this.put(key, value),
      delete: (keys) => this.delete(keys),
      list: (options) => this.list(options),
      getAlarm: () => this.getAlarm(),
      setAlarm: (at) => this.setAlarm(at),
      deleteAlarm: () => this.deleteAlarm(),
      rollback,
    };
  }

  #getAll(keys: string[]): Map<string, unknown> {
    const found = keys.sort().map((key) => [key, this.kv.get(key)] as const);
    return new Map(found.filter(([, value]) => value !== undefined));
  }
}
