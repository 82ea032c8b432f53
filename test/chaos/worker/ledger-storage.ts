import type { Ledger, Run } from '../chaos-calls.ts';

/** Number of rows of a page, which takes a few megabytes. */
const PAGE = 50_000;

/** Stores the two counters, and a row for each run. Accepts duplicate rows, so that the checks find them. */
export class LedgerStorage {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    storage.sql.exec(
      'CREATE TABLE IF NOT EXISTS runs (id INTEGER PRIMARY KEY, method TEXT, client INTEGER, n INTEGER, value INTEGER)',
    );
  }

  add(method: Run['method'], client: number, n: number): number {
    const value = this.count(method) + 1;
    this.#storage.kv.put(method, value);
    this.#storage.sql.exec('INSERT INTO runs (method, client, n, value) VALUES (?, ?, ?, ?)', method, client, n, value);
    return value;
  }

  count(method: Run['method']): number {
    return this.#storage.kv.get<number>(method) ?? 0;
  }

  /** Reads the counters, and a page of the rows after the first `skip`. */
  read(skip: number): Ledger {
    const runs = this.#storage.sql.exec(
      'SELECT method, client, n, value FROM runs WHERE id > ? ORDER BY id LIMIT ?',
      skip,
      PAGE,
    );
    return {
      increments: this.count('increment'),
      bumps: this.count('bump'),
      runs: runs.toArray() as unknown as Run[],
    };
  }
}
