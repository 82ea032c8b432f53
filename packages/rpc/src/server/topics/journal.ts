import { FULL_SIZE } from '../../protocol/frame-writer.ts';
import { readBatch, writeBatch } from '../../protocol/http.ts';
import { bytesOf, type Message, messageOf } from '../../protocol/message.ts';

/** Events that follow each other, each a message. */
export interface Run {
  readonly first: number;
  readonly events: readonly Message[];
}

/** Source of events that a subscriber was not sent when they were published. */
export type EventSource = Pick<Journal, 'newest' | 'read'>;

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

const OLDEST = '(SELECT min(last) FROM lumenize_rpc_events WHERE topic = ?1)';
const STORED = 'ifnull((SELECT max(last) FROM lumenize_rpc_events WHERE topic = ?1), 0)';
const GIVEN = 'ifnull((SELECT given FROM lumenize_rpc_numbers WHERE topic = ?1), 0)';

// An event takes one statement, which stores it where the table ends as memory says: that does not notice when a transaction is
// rolled back.
const INSERT = `INSERT INTO lumenize_rpc_events (topic, last, first, events) SELECT ?1, ?2, ?3, ?4
  WHERE ifnull((SELECT max(last) FROM lumenize_rpc_events WHERE topic = ?1), 0) = ?5`;
const REPLACE_OLDEST = `UPDATE lumenize_rpc_events SET last = ?2, first = ?3, events = ?4 WHERE topic = ?1
  AND last = (SELECT min(last) FROM lumenize_rpc_events WHERE topic = ?1) AND last <= ?6
  AND ifnull((SELECT max(last) FROM lumenize_rpc_events WHERE topic = ?1), 0) = ?5`;

const AFTER = 'SELECT first, last, events FROM lumenize_rpc_events WHERE topic = ? AND last > ? ORDER BY last LIMIT ?';
const TRIM = 'DELETE FROM lumenize_rpc_events WHERE topic = ? AND last <= ?';
const GIVE = 'INSERT OR REPLACE INTO lumenize_rpc_numbers (topic, given) VALUES (?, ?)';

/** Numbers and keeps the events of one topic, in the object's SQLite storage: each as a part of whatever transaction it is published in. */
export class Journal {
  /** True if `settle` has to be called where nobody is sent anything, too. */
  readonly storesLater: boolean = false;
  protected readonly retain: number;
  readonly #storage: DurableObjectStorage;
  readonly #topic: string;
  /** No stored row is older, as far as is known: so none that can be replaced is looked for in vain. */
  #oldest = Number.POSITIVE_INFINITY;
  /** The newest number that is stored, as far as is known. */
  #stored = 0;
  /** Numbers up to this one are not given, whatever is stored: they were sent. Undefined before the first event is stored. */
  #given: number | undefined;

  constructor(storage: DurableObjectStorage, topic: string, retain = 0) {
    this.#storage = storage;
    this.#topic = topic;
    this.retain = retain;
  }

  /** The number of the newest event. Asked for each time: memory does not notice when a transaction is rolled back. */
  get newest(): number {
    return Math.max(this.#run(`SELECT max(${STORED}, ${GIVEN}) AS newest`).one().newest as number, this.#given ?? 0);
  }

  /** Takes an event, as a message, and returns its number. */
  append(event: Message): number {
    return this.store([event], this.#given ?? this.open());
  }

  /** To be called when a turn has ended, before its events are sent: returns the number up to which there are events. */
  settle(): number {
    this.#given = this.newest;
    return this.#given;
  }

  /** Prepares for events: deletes what is not retained any more, because less is than before, and returns the newest number. */
  open(): number {
    const given = this.#look();
    const expired = this.#stored - this.#kept;
    if (this.#oldest <= expired) this.#run(TRIM, expired);
    this.#given = Math.max(this.#stored, given);
    return this.#given;
  }

  /**
   * Stores events in one row, in place of the oldest one where that holds nothing that is retained, and returns
   * the number of the last; numbers up to `given` are not given.
   */
  store(events: readonly Message[], given: number): number {
    const content = events.length === 1 ? bytesOf(events[0]) : writeBatch({ frames: [...events] });
    // The types know of buffers only; a view is stored as what it shows.
    const blob = this.retain === 0 ? null : (content as unknown as ArrayBuffer);
    for (;;) {
      const last = Math.max(this.#stored, given) + events.length;
      const row = [last, last - events.length + 1, blob, this.#stored];
      const expired = last - this.#kept;
      const { rowsWritten } =
        this.#oldest <= expired ? this.#run(REPLACE_OLDEST, ...row, expired) : this.#run(INSERT, ...row);
      if (rowsWritten > 0) {
        this.#stored = last;
        this.#oldest = Math.min(this.#oldest, last);
        return last;
      }
      this.#look();
    }
  }

  /** Notes that numbers up to this one may be given. */
  give(number: number): void {
    this.#run(GIVE, number);
  }

  /** Reads events that follow each other, from the first stored one after a number on, up to `max` of them; undefined where there are none. */
  read(after: number, max: number): Run | undefined {
    const events: Message[] = [];
    let first = 0;
    let size = 0;
    // Not all at once: rows can be large.
    for (const row of this.#run(AFTER, after, max)) {
      const stored = row as unknown as Row;
      if (stored.events === null) continue;
      if (events.length === 0) first = Math.max(stored.first, after + 1);
      else if (stored.first !== first + events.length) break;
      for (const event of eventsOf(stored).slice(first + events.length - stored.first)) {
        events.push(event);
        size += event.length;
        if (events.length === max || size > FULL_SIZE) return { first, events };
      }
    }
    return events.length === 0 ? undefined : { first, events };
  }

  /** The newest number has to stay, whatever is retained. */
  get #kept(): number {
    return Math.max(1, this.retain);
  }

  /** Reads what is stored, and returns how far numbers may have been given. */
  #look(): number {
    const state = this.#run(`SELECT ${OLDEST} AS oldest, ${STORED} AS stored, ${GIVEN} AS given`).one() as {
      oldest: number | null;
      stored: number;
      given: number;
    };
    this.#oldest = state.oldest ?? Number.POSITIVE_INFINITY;
    this.#stored = state.stored;
    return state.given;
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

function eventsOf({ first, last, events }: Row): Message[] {
  const content = new Uint8Array(events!);
  return first === last ? [messageOf(content)] : readBatch(content).frames;
}
