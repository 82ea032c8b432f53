import { lifeOf } from '../../position.ts';
import type { Message } from '../../types/message.ts';
import type { Position } from '../../types/topic.ts';
import { messageOf, readBatch, writeBatch } from './row.ts';
import type { TopicJournal } from './topic-journal.ts';

/** Bytes of events that are read at once, about. */
const FULL_SIZE = 262_144;

/** Events with consecutive numbers, each encoded as a message. */
export interface Run {
  readonly first: number;
  readonly events: readonly Message[];
}

interface Row {
  readonly first: number;
  readonly last: number;
  /** A single event of text, or bytes, or null if only the number is kept. */
  readonly events: ArrayBuffer | string | null;
}

type State = [epoch: string | undefined, given: number, oldest: number | null, stored: number];

// A row holds one event, or several that were stored together. Rows are found by their last number, and an old row
// becomes the new one: an event costs one written row, and nothing has to be deleted. Without a rowid there is no
// second index to write. The table `numbers` is for topics that store later: it notes up to which number events may
// have been given one. `epoch` is that of the numbers in the row, `before` that of the number before them.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS lumenize_rpc_events (
    topic TEXT NOT NULL, last INTEGER NOT NULL, first INTEGER NOT NULL, events BLOB, epoch TEXT NOT NULL, before TEXT,
    PRIMARY KEY (topic, last)
  ) WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS lumenize_rpc_numbers (
    topic TEXT NOT NULL PRIMARY KEY, given INTEGER NOT NULL, epoch TEXT NOT NULL
  ) WITHOUT ROWID`,
];

const OLDEST = '(SELECT min(last) FROM lumenize_rpc_events WHERE topic = ?1)';
const STORED = 'ifnull((SELECT max(last) FROM lumenize_rpc_events WHERE topic = ?1), 0)';
// The largest number that may have been given, with its epoch, and the bounds of the rows.
const STATE = `SELECT newest.*, ${OLDEST}, ${STORED} FROM (
    SELECT * FROM (SELECT epoch, last FROM lumenize_rpc_events WHERE topic = ?1 ORDER BY last DESC LIMIT 1)
    UNION ALL SELECT epoch, given FROM lumenize_rpc_numbers WHERE topic = ?1 ORDER BY last DESC LIMIT 1
  ) AS newest`;

// One statement stores an event, and only if the table ends at the number that memory expects: memory does not notice
// when a transaction is rolled back.
const INSERT = `INSERT INTO lumenize_rpc_events (topic, last, first, events, epoch, before)
  SELECT ?1, ?2, ?3, ?4, ?6, ?7 WHERE ${STORED} = ?5`;
const REPLACE_OLDEST = `UPDATE lumenize_rpc_events SET last = ?2, first = ?3, events = ?4, epoch = ?6, before = ?7
  WHERE topic = ?1 AND last = ${OLDEST} AND last <= ?8 AND ${STORED} = ?5`;

const AFTER = 'SELECT first, last, events FROM lumenize_rpc_events WHERE topic = ? AND last > ? ORDER BY last LIMIT ?';
const LAST = 'SELECT 1 FROM lumenize_rpc_events WHERE topic = ? AND last = ?';
const TRIM = 'DELETE FROM lumenize_rpc_events WHERE topic = ? AND last <= ?';
const GIVE = 'INSERT OR REPLACE INTO lumenize_rpc_numbers (topic, given, epoch) VALUES (?, ?, ?)';
// Finds a number that was given in an epoch or before it.
const KNOWN = `SELECT 1 FROM lumenize_rpc_events WHERE topic = ?1 AND last >= ?2
    AND (epoch = ?3 OR (before = ?3 AND first > ?2))
  UNION ALL SELECT 1 FROM lumenize_rpc_numbers WHERE topic = ?1 AND given >= ?2 AND epoch = ?3 LIMIT 1`;
const FORGET = ['DELETE FROM lumenize_rpc_events WHERE topic = ?', 'DELETE FROM lumenize_rpc_numbers WHERE topic = ?'];

/**
 * Numbers and keeps the events of one topic in the object's SQLite storage. Each event is part of the transaction in
 * which it is published.
 */
export class Journal implements TopicJournal {
  /** True if `commitTurn` has to be called even without subscribers. */
  readonly storesLater: boolean = false;
  protected readonly retain: number;
  readonly #storage: DurableObjectStorage;
  readonly #topic: string;
  /** Half of the epochs of the events that are published while the object stays in memory, made with the first. */
  #run: string | undefined;
  /**
   * Lower bound of the last numbers of all rows, as far as known. It saves a search for a row to replace when there is
   * none.
   */
  #oldest = Number.POSITIVE_INFINITY;
  /** The newest number that is stored, as far as known. */
  #stored = 0;
  /**
   * Numbers up to this one are not given again, whatever is stored, because their events were sent. Undefined before
   * the first event is stored.
   */
  #given: number | undefined;
  #ownEpoch: string | undefined;
  /** The epoch of the number that `#given` was read as, or of the newest event that was stored since. */
  #before: string | undefined;

  constructor(storage: DurableObjectStorage, topic: string, retain = 0) {
    this.#storage = storage;
    this.#topic = topic;
    this.retain = retain;
  }

  /** The epoch of events that are published now. */
  get ownEpoch(): string {
    this.#ownEpoch ??= `${randomName()}.${this.#life}`;
    return this.#ownEpoch;
  }

  get #life(): string {
    this.#run ??= randomName();
    return this.#run;
  }

  /**
   * The position of the newest event. It is read from storage each time, since memory does not notice when a transaction
   * is rolled back.
   */
  get newest(): Position {
    const [epoch = this.ownEpoch, newest] = this.#readTables();
    const given = this.#given ?? 0;
    return newest >= given ? [epoch, newest] : [this.ownEpoch, given];
  }

  /**
   * Returns the number after which a subscriber continues that is at this position. `missed` is infinite if the position
   * is of another life of the topic, or was lost when storage was restored.
   */
  resume([epoch, sequence]: Position): { last: number; missed: number } {
    const [now, newest] = this.newest;
    if (
      sequence === 0 ||
      (epoch === now && sequence <= newest) ||
      (epoch === this.#before && sequence <= (this.#given ?? 0)) ||
      this.#exec(KNOWN, sequence, epoch).toArray().length > 0
    ) {
      return { last: sequence, missed: 0 };
    }
    const last = (this.read(0, 1)?.first ?? newest + 1) - 1;
    const isGap = sequence < last && lifeOf(epoch) === lifeOf(now);
    return isGap ? { last: sequence, missed: 0 } : { last, missed: Number.POSITIVE_INFINITY };
  }

  /** Deletes all that is stored of the topic. Numbers given before are not given again while the object is in memory. */
  delete(): void {
    for (const query of FORGET) this.#exec(query);
    this.#readState();
  }

  /** Stores an event, encoded as a message, and returns its number. */
  append(event: Message): number {
    return this.store([event], this.prepare());
  }

  /** Called when a turn has ended, before its events are sent. Returns the number of the newest event. */
  commitTurn(): number {
    // Unless a transaction was rolled back, the newest event is still there. Its row is found quicker than the last one.
    const isThere = this.#exec(LAST, this.#stored).toArray().length > 0;
    this.#given = isThere ? this.#stored : this.newest[1];
    return this.#given;
  }

  /** Opens the topic, if that was not done yet, and returns the number up to which numbers are not given again. */
  prepare(): number {
    return this.#given ?? this.open();
  }

  /**
   * Prepares the topic for new events, and returns the newest number. Deletes events that are no longer retained
   * because `retain` was lowered.
   */
  open(): number {
    const given = this.#readState();
    const expired = this.#stored - this.#kept;
    if (this.#oldest <= expired) this.#exec(TRIM, expired);
    this.#given = Math.max(this.#stored, given);
    return this.#given;
  }

  /**
   * Stores events in one row, and returns the number of the last one. The row replaces the oldest one if that holds no
   * retained events. The events get numbers above `given`.
   */
  store(events: readonly Message[], given: number): number {
    const content = events.length === 1 ? events[0] : writeBatch(events);
    // The type only knows buffers, but a view is stored as the bytes that it shows.
    const stored = this.retain === 0 ? null : (content as unknown as ArrayBuffer);
    for (;;) {
      const last = Math.max(this.#stored, given) + events.length;
      const row = [last, last - events.length + 1, stored, this.#stored, this.ownEpoch, this.#before ?? null];
      const expired = last - this.#kept;
      const { rowsWritten } =
        this.#oldest <= expired ? this.#exec(REPLACE_OLDEST, ...row, expired) : this.#exec(INSERT, ...row);
      if (rowsWritten > 0) {
        this.#stored = last;
        this.#oldest = Math.min(this.#oldest, last);
        this.#before = this.ownEpoch;
        return last;
      }
      this.#readState();
    }
  }

  /** Notes that numbers up to this one may have been given, and returns it. */
  reserveNumbers(number: number): number {
    this.#exec(GIVE, number, this.ownEpoch);
    return number;
  }

  /**
   * Reads up to `max` consecutive events, from the first stored one after a number on. Returns undefined if there are
   * none.
   */
  read(after: number, max: number): Run | undefined {
    const events: Message[] = [];
    let first = 0;
    let size = 0;
    // Row by row, since rows can be large.
    for (const row of this.#exec(AFTER, after, max)) {
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

  /** Number of events to keep. The newest one always stays, since its number is needed. */
  get #kept(): number {
    return Math.max(1, this.retain);
  }

  /** Follows the tables, and returns the number up to which numbers may have been given. */
  #readState(): number {
    const [epoch, given, oldest, stored] = this.#readTables();
    this.#oldest = oldest ?? Number.POSITIVE_INFINITY;
    this.#stored = stored;
    this.#before = epoch;
    this.#ownEpoch = epoch && `${lifeOf(epoch)}.${this.#life}`;
    return given;
  }

  #readTables(): State {
    const [state = [undefined, 0, null, 0]] = this.#exec(STATE).raw() as Iterable<unknown> as Iterable<State>;
    return state;
  }

  #exec(query: string, ...values: SqlStorageValue[]): SqlStorageCursor<Record<string, SqlStorageValue>> {
    const { sql } = this.#storage;
    try {
      return sql.exec(query, this.#topic, ...values);
    } catch (error) {
      // The tables are made when a statement finds them missing, since a transaction that is rolled back may remove
      // them again.
      if (!(error as Error).message.includes('no such table')) throw error;
      for (const table of TABLES) sql.exec(table);
      return sql.exec(query, this.#topic, ...values);
    }
  }
}

function randomName(): string {
  return Math.random().toString(36).slice(2, 8);
}

function eventsOf({ first, last, events }: Row): Message[] {
  if (typeof events === 'string') return [events];
  const content = new Uint8Array(events!);
  return first === last ? [messageOf(content)] : readBatch(content);
}
