import { callContext } from '@lumenize/rpc/server';
import type { LedgerRow } from '../src/programs/keys.ts';
import { type Identity, nameOf } from './identity.ts';

/** What methods did, in the object's SQLite: nothing here keeps a row from coming twice. */
export class Ledger {
  readonly #sql: SqlStorage;
  readonly #version: number;

  /** `version` is that of the class that does what is noted. */
  constructor(storage: DurableObjectStorage, version: number) {
    this.#version = version;
    this.#sql = storage.sql;
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS ledger (id INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT, what TEXT, method TEXT, value INTEGER, who TEXT, version INTEGER)',
    );
  }

  add(key: string, what: LedgerRow['what'], method: string, value: number): void {
    this.#sql.exec(
      'INSERT INTO ledger (key, what, method, value, who, version) VALUES (?, ?, ?, ?, ?, ?)',
      key,
      what,
      method,
      value,
      whoCalls(),
      this.#version,
    );
  }

  /** How many effects a method has had. */
  count(method: string): number {
    return this.#sql
      .exec<{ n: number }>("SELECT count(*) AS n FROM ledger WHERE method = ? AND what = 'effect'", method)
      .one().n;
  }

  rows(): LedgerRow[] {
    return this.#sql
      .exec('SELECT id, key, what, method, value, who, version FROM ledger ORDER BY id')
      .toArray() as never;
  }

  /** How many rows each table of the library has. */
  tables(): Record<string, number> {
    const names = this.#sql
      .exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table' AND name LIKE 'lumenize%'")
      .toArray();
    return Object.fromEntries(
      names.map(({ name }) => [name, this.#sql.exec<{ n: number }>(`SELECT count(*) AS n FROM ${name}`).one().n]),
    );
  }
}

/** Streams close outside of calls. */
function whoCalls(): string | null {
  try {
    return nameOf(callContext<Identity>().caller!.identity);
  } catch {
    return null;
  }
}
