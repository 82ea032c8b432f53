import type { Message } from './message.ts';

interface Row {
  [column: string]: SqlStorageValue;
  id: number;
  name: string;
  text: string;
  at: number;
}

/** How many messages a room keeps. */
const MAX_KEPT = 1000;

/** What was said in a room, in its object's SQLite. */
export class History {
  readonly #sql: SqlStorage;

  constructor({ sql }: DurableObjectStorage) {
    this.#sql = sql;
    sql.exec('CREATE TABLE IF NOT EXISTS messages (id INTEGER PRIMARY KEY, name TEXT, text TEXT, at INTEGER)');
  }

  add({ id, name, text, at }: Message): void {
    this.#sql.exec('INSERT INTO messages VALUES (?, ?, ?, ?)', id, name, text, at.getTime());
    this.#sql.exec('DELETE FROM messages WHERE id <= ?', id - MAX_KEPT);
  }

  /** The last messages before that number, in the order they were said. */
  before(id: number, limit: number): Message[] {
    return this.#sql
      .exec<Row>('SELECT * FROM messages WHERE id < ? ORDER BY id DESC LIMIT ?', id, limit)
      .toArray()
      .map(({ id, name, text, at }) => ({ id, name, text, at: new Date(at) }))
      .toReversed();
  }
}
