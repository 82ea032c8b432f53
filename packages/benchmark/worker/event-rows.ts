const RETAIN = 100;

/**
 * Keeps the newest events of an object, as topics do by default: one written row an event, the oldest one's in place of
 * it. For those who have no topics.
 */
export class EventRows {
  readonly #sql: SqlStorage;
  /** Read with the first event, so that an object without events has no table. */
  #newest: number | undefined;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Stores an event and returns its number. */
  add(event: string): number {
    const number = (this.#newest ?? this.#read()) + 1;
    this.#newest = number;
    this.#sql.exec('INSERT OR REPLACE INTO events VALUES (?, ?, ?)', number % RETAIN, number, event);
    return number;
  }

  #read(): number {
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS events (slot INTEGER PRIMARY KEY, number INTEGER NOT NULL, event TEXT NOT NULL)',
    );
    const { newest } = this.#sql.exec<{ newest: number | null }>('SELECT max(number) AS newest FROM events').one();
    return newest ?? 0;
  }
}
