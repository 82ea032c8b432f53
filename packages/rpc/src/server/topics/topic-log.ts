import { decode, encode } from '@lumenize/structured-clone';
import { FULL_BYTES } from '../../session/turn.ts';
import type { Run } from './source.ts';

interface Row {
  readonly first: number;
  readonly last: number;
  /** Null where only the number is kept. */
  readonly events: ArrayBuffer | null;
}

// A row holds one event, or several that were stored together. Rows are found by their last number, and an old row becomes
// the new one: so an event costs one written row, and nothing has to be deleted. Without a rowid there is no second index
// to write. `numbers` is for topics that store later: how far numbers may have been given.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS lumenize_rpc_events (
    topic TEXT NOT NULL, last INTEGER NOT NULL, first INTEGER NOT NULL, events BLOB,
    PRIMARY KEY (topic, last)
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS lumenize_rpc_numbers (
    topic TEXT NOT NULL PRIMARY KEY, given INTEGER NOT NULL
  ) WITHOUT ROWID`,
];

const REPLACE = `UPDATE lumenize_rpc_events SET last = ?2, first = ?3, events = ?4
  WHERE topic = ?1 AND last = (SELECT min(last) FROM lumenize_rpc_events WHERE topic = ?1) AND last <= ?5`;
const INSERT = 'INSERT INTO lumenize_rpc_events (topic, last, first, events) VALUES (?, ?, ?, ?)';
const NEWEST = 'SELECT last FROM lumenize_rpc_events WHERE topic = ? ORDER BY last DESC LIMIT 1';
const AFTER = 'SELECT first, last, events FROM lumenize_rpc_events WHERE topic = ? AND last > ? ORDER BY last LIMIT ?';
const TRIM = 'DELETE FROM lumenize_rpc_events WHERE topic = ? AND last <= ?';
const GIVEN = 'SELECT given FROM lumenize_rpc_numbers WHERE topic = ?';
const GIVE = 'INSERT OR REPLACE INTO lumenize_rpc_numbers (topic, given) VALUES (?, ?)';

/** What of one topic is in the object's SQLite storage. */
export class TopicLog {
  readonly #storage: DurableObjectStorage;
  readonly #topic: string;

  constructor(storage: DurableObjectStorage, topic: string) {
    this.#storage = storage;
    this.#topic = topic;
  }

  /** The number of the newest event that is stored; 0 where none ever was. */
  get newest(): number {
    return (this.#run(NEWEST).toArray()[0]?.last as number | undefined) ?? 0;
  }

  /** How far numbers may have been given to events that are not stored. */
  get given(): number {
    return (this.#run(GIVEN).toArray()[0]?.given as number | undefined) ?? 0;
  }

  /** Notes that numbers up to this one may be given. */
  give(number: number): void {
    this.#run(GIVE, number);
  }

  /** Stores events in one row, in place of the oldest one where that holds nothing of the newest `retain` events. */
  append({ first, events }: Run, retain: number): void {
    const last = first + events.length - 1;
    const content = events.length === 1 ? events[0] : encode(events);
    // The newest number has to stay, whatever is retained.
    const expired = last - Math.max(1, retain);
    // The types know of buffers only; a view is stored as what it shows.
    const blob = retain === 0 ? null : (content as unknown as ArrayBuffer);
    const replaced = this.#run(REPLACE, last, first, blob, expired);
    if (replaced.rowsWritten === 0) this.#run(INSERT, last, first, blob);
  }

  /** Deletes what is not retained any more, because less is than before. */
  trim(retain: number): void {
    this.#run(TRIM, this.newest - Math.max(1, retain));
  }

  /** Reads events that follow each other, from the first stored one after a number on, up to `max` of them; undefined where there are none. */
  read(after: number, max: number): Run | undefined {
    const events: Uint8Array[] = [];
    let first = 0;
    let bytes = 0;
    for (const row of this.#run(AFTER, after, max)) {
      const stored = row as unknown as Row;
      if (stored.events === null) continue;
      if (events.length === 0) first = Math.max(stored.first, after + 1);
      else if (stored.first !== first + events.length) break;
      for (const event of eventsOf(stored).slice(first + events.length - stored.first)) {
        events.push(event);
        bytes += event.length;
        if (events.length === max || bytes > FULL_BYTES) return { first, events };
      }
    }
    return events.length === 0 ? undefined : { first, events };
  }

  #run(query: string, ...values: SqlStorageValue[]): SqlStorageCursor<Record<string, SqlStorageValue>> {
    const { sql } = this.#storage;
    try {
      return sql.exec(query, this.#topic, ...values);
    } catch (error) {
      // Made when they are missing: a transaction that is rolled back may take them along.
      if (!(error as Error).message.includes('no such table')) throw error;
      for (const table of TABLES) sql.exec(table);
      return sql.exec(query, this.#topic, ...values);
    }
  }
}

function eventsOf({ first, last, events }: Row): Uint8Array[] {
  const content = new Uint8Array(events!);
  return first === last ? [content] : (decode(content) as Uint8Array[]);
}
