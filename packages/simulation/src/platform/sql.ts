import type { Database } from './database.ts';

export type SqlValue = ArrayBuffer | string | number | null;
type Row = Record<string, SqlValue>;

/** Matches statements that would end the runtime's own transactions. */
const FORBIDDEN = /^\s*(?:BEGIN|COMMIT|END|ROLLBACK|SAVEPOINT|RELEASE|ATTACH|DETACH|VACUUM)\b/i;
const READS = /^\s*(?:SELECT|EXPLAIN|VALUES|PRAGMA)\b|^\s*WITH\b(?![\s\S]*\b(?:INSERT|UPDATE|DELETE|REPLACE)\b)/i;

/** Returns a function that tests texts against a pattern and remembers the results. */
function remembered(pattern: RegExp): (text: string) => boolean {
  const known = new Map<string, boolean>();
  return (text) => {
    let says = known.get(text);
    if (says === undefined) {
      says = pattern.test(text);
      if (known.size < 1000) known.set(text, says);
    }
    return says;
  };
}

const isForbidden = remembered(FORBIDDEN);
const isRead = remembered(READS);

/** `ctx.storage.sql`. */
export class SqlStorage {
  readonly #database: Database;

  constructor(database: Database) {
    this.#database = database;
  }

  get databaseSize(): number {
    const read = (name: string) => Number(Object.values(this.#database.prepare(`PRAGMA ${name}`).get()!)[0]);
    return read('page_count') * read('page_size');
  }

  /** Runs statements. The values are bound to the last statement, and the cursor returns its rows. */
  exec(text: string, ...values: unknown[]): SqlCursor {
    const statements = split(text);
    for (const statement of statements.slice(0, -1)) this.#run(statement, []);
    return this.#run(statements.at(-1) ?? text, values);
  }

  #run(text: string, values: unknown[]): SqlCursor {
    if (isForbidden(text)) {
      throw new Error(
        "To execute a transaction, please use the state.storage.transaction() or state.storage.transactionSync() APIs instead of the SQL BEGIN TRANSACTION or SAVEPOINT statements. The JavaScript API is safer because it will automatically roll back on exceptions, and because it interacts correctly with Durable Objects' automatic atomic write coalescing.",
      );
    }
    const isReading = isRead(text);
    if (!isReading) this.#database.beforeWrite();
    try {
      const statement = this.#database.prepare(text);
      const bound = values.map(toBound);
      if (!this.#database.givesRows(text)) return new SqlCursor(NONE, [], Number(statement.run(...bound).changes));
      const rows = statement.all(...bound) as Record<string, unknown>[];
      const columns = () => statement.columns().map(({ name }) => name);
      return new SqlCursor(columns, rows.map(toRow), isReading ? 0 : rows.length);
    } catch (error) {
      throw asPlatform(error);
    }
  }
}

/** The result of `exec`. All rows are read at once, because this library and its programs always read them all. */
export class SqlCursor implements IterableIterator<Row> {
  readonly #columns: () => string[];
  readonly rowsRead: number;
  readonly rowsWritten: number;
  readonly #rows: Row[];
  #next = 0;

  constructor(columns: () => string[], rows: Row[], rowsWritten: number) {
    this.#columns = columns;
    this.#rows = rows;
    this.rowsRead = rows.length;
    this.rowsWritten = rowsWritten;
  }

  get columnNames(): string[] {
    return this.#columns();
  }

  next(): IteratorResult<Row> {
    if (this.#next >= this.#rows.length) return { done: true, value: undefined };
    return { done: false, value: this.#rows[this.#next++] };
  }

  [Symbol.iterator](): this {
    return this;
  }

  toArray(): Row[] {
    const rest = this.#rows.slice(this.#next);
    this.#next = this.#rows.length;
    return rest;
  }

  one(): Row {
    const rest = this.toArray();
    if (rest.length === 1) return rest[0];
    throw new Error(
      rest.length === 0
        ? 'Expected exactly one result from SQL query, but got no results.'
        : 'Expected exactly one result from SQL query, but got multiple results.',
    );
  }

  *raw(): Generator<SqlValue[]> {
    const names = this.columnNames;
    for (const row of this) yield names.map((name) => row[name]);
  }
}

/** Splits a text at semicolons that are not inside a string or a trigger. */
function split(text: string): string[] {
  if (!/;\s*\S/.test(text) || /\bTRIGGER\b/i.test(text)) return [text];
  const parts = text.match(/(?:'(?:[^']|'')*'|"(?:[^"]|"")*"|--[^\n]*|[^;])+/g) ?? [];
  return parts.filter((part) => part.trim() !== '');
}

function toBound(value: unknown): null | number | string | Uint8Array {
  if (value === null || typeof value === 'number' || typeof value === 'string') return value;
  if (value instanceof ArrayBuffer) return new Uint8Array(value);
  if (ArrayBuffer.isView(value)) return new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
  if (typeof value === 'boolean') return String(value);
  throw new TypeError(`The value cannot be bound: ${typeof value}`);
}

function toRow(row: Record<string, unknown>): Row {
  const converted: Row = {};
  for (const name in row) {
    const value = row[name];
    converted[name] = value instanceof Uint8Array ? value.slice().buffer : (value as SqlValue);
  }
  return converted;
}

const NONE = () => [];

const EXTENDED = new Map([
  [275, 'SQLITE_CONSTRAINT_CHECK'],
  [787, 'SQLITE_CONSTRAINT_FOREIGNKEY'],
  [1299, 'SQLITE_CONSTRAINT_NOTNULL'],
  [1555, 'SQLITE_CONSTRAINT_PRIMARYKEY'],
  [2067, 'SQLITE_CONSTRAINT_UNIQUE'],
]);
const RANGE = 25;

/** Words an error of SQLite as the platform does. */
function asPlatform(error: unknown): Error {
  const { message, errcode } = error as Error & { errcode?: number };
  if (errcode === undefined) return error as Error;
  if (errcode === RANGE) return new Error('Wrong number of parameter bindings for SQL query.');
  const extended = EXTENDED.get(errcode);
  return new Error(
    `${message}: ${extended === undefined ? 'SQLITE_ERROR' : `SQLITE_CONSTRAINT (extended: ${extended})`}`,
  );
}
