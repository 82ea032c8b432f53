import { deserialize } from 'node:v8';
import type { Database } from './database.ts';
import { serialize } from './serialize.ts';

/** The options of `list`: which keys to return. */
export interface ListOptions {
  readonly start?: string;
  readonly startAfter?: string;
  readonly end?: string;
  readonly prefix?: string;
  readonly reverse?: boolean;
  readonly limit?: number;
}

const MAX_KEY_BYTES = 2048;
const MAX_VALUE_BYTES = 2 * 1024 * 1024;

/** `ctx.storage.kv`: values by key, in a table that is not visible to SQL. */
export class KvStorage {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get(key: string): unknown {
    const row = this.#database.prepare('SELECT value FROM _cf_KV WHERE key = ?').get(key);
    return row === undefined ? undefined : deserialize(row.value as Uint8Array);
  }

  put(key: string, value: unknown): void {
    if (Buffer.byteLength(key) > MAX_KEY_BYTES)
      throw new RangeError(`Keys cannot be larger than ${MAX_KEY_BYTES} bytes.`);
    const bytes = serialize(value);
    if (bytes.length > MAX_VALUE_BYTES) throw new RangeError(`Values cannot be larger than ${MAX_VALUE_BYTES} bytes.`);
    this.#database.beforeWrite();
    this.#database.prepare('INSERT OR REPLACE INTO _cf_KV (key, value) VALUES (?, ?)').run(key, bytes);
  }

  delete(key: string): boolean {
    this.#database.beforeWrite();
    return Number(this.#database.prepare('DELETE FROM _cf_KV WHERE key = ?').run(key).changes) > 0;
  }

  *list(options: ListOptions = {}): Generator<[string, unknown]> {
    const { start, startAfter, end, prefix, reverse, limit = -1 } = options;
    const rows = this.#database
      .prepare(`SELECT key, value FROM _cf_KV ORDER BY key ${reverse ? 'DESC' : 'ASC'}`)
      .all() as { key: string; value: Uint8Array }[];
    let count = 0;
    for (const { key, value } of rows) {
      const isWithin =
        (start === undefined || key >= start) &&
        (startAfter === undefined || key > startAfter) &&
        (end === undefined || key < end) &&
        (prefix === undefined || key.startsWith(prefix));
      if (!isWithin) continue;
      if (count++ === limit) return;
      yield [key, deserialize(value)];
    }
  }
}
