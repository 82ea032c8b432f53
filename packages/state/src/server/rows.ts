import { isMissingTable, withTables } from '../tables.ts';

/** The first version of a state. A snapshot is numbered below the version that it leads to, a number for each page. */
export const FIRST_VERSION = 1024;
/** Deleted records that are remembered, so that followers that were away learn of them. */
const MAX_TOMBSTONES = 5000;
/** Tombstones that are left when the oldest are forgotten. */
const KEPT_TOMBSTONES = 4500;
/** Runs that are remembered, and those that are left when the oldest are forgotten. */
const MAX_RUNS = 10_000;
const KEPT_RUNS = 9000;

/** A record as it is stored. Without data it is a tombstone. */
export interface Row {
  readonly collection: string;
  readonly id: string;
  /** The version of its last change. */
  readonly version: number;
  /** The format of its collection at that time. */
  readonly format: number;
  /** The record, as text of the codec; null if it was deleted. */
  readonly data: string | null;
}

/** The versions that an object has given between waking and leaving memory. */
interface Run {
  readonly first: number;
  readonly run: string;
}

// Without a rowid and without a second index, a change writes one row. What followers have missed is found by a scan:
// rows that are read cost a thousandth of rows that are written.
const TABLES = [
  `CREATE TABLE IF NOT EXISTS lumenize_state (
    collection TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, format INTEGER NOT NULL, data TEXT,
    PRIMARY KEY (collection, id)
  ) WITHOUT ROWID`,
  // A position is known if its version is of the run that it names: after storage is restored, versions are given again.
  'CREATE TABLE IF NOT EXISTS lumenize_state_runs (first INTEGER PRIMARY KEY, run TEXT NOT NULL, shape TEXT NOT NULL)',
];

const READ = 'SELECT * FROM lumenize_state WHERE collection = ? AND id = ?';
const WRITE = `INSERT INTO lumenize_state VALUES (?1, ?2, ?3, ?4, ?5)
  ON CONFLICT (collection, id) DO UPDATE SET version = ?3, format = ?4, data = ?5`;
const ALL = 'SELECT * FROM lumenize_state WHERE data IS NOT NULL ORDER BY collection, id';
const OF_COLLECTION = 'SELECT * FROM lumenize_state WHERE collection = ? AND data IS NOT NULL ORDER BY id';
const COUNT = 'SELECT count(data) AS count FROM lumenize_state WHERE collection = ?';
const SINCE = 'SELECT * FROM lumenize_state WHERE version > ? ORDER BY collection, id';
const TOTALS = 'SELECT ifnull(max(version), 0) AS newest, count(*) - count(data) AS tombstones FROM lumenize_state';
const LAST_RUN = 'SELECT first, run, shape FROM lumenize_state_runs ORDER BY first DESC LIMIT 1';
const NOTE_RUN = 'INSERT OR REPLACE INTO lumenize_state_runs VALUES (?, ?, ?)';
const COUNT_RUNS = 'SELECT count(*) AS runs FROM lumenize_state_runs';
const FORGET_RUNS = `DELETE FROM lumenize_state_runs WHERE first <=
  (SELECT first FROM lumenize_state_runs ORDER BY first DESC LIMIT 1 OFFSET ?)`;
const KNOWN = `SELECT 1 FROM lumenize_state_runs AS its WHERE run = ?1 AND shape = ?2 AND first <= ?3
  AND ifnull((SELECT min(first) FROM lumenize_state_runs WHERE first > its.first), ?4 + 1) > ?3`;
const OLDEST_KEPT = `SELECT version FROM lumenize_state WHERE data IS NULL
  ORDER BY version DESC LIMIT 1 OFFSET ${KEPT_TOMBSTONES}`;
const FORGET_TOMBSTONES = 'DELETE FROM lumenize_state WHERE data IS NULL AND version <= ?';
// Positions before it would miss deletions: they belong to no run any more.
const FORGET_BEFORE = 'DELETE FROM lumenize_state_runs WHERE first < ?1';
const RUN_OF = 'SELECT run, shape FROM lumenize_state_runs WHERE first <= ? ORDER BY first DESC LIMIT 1';

/** The records of an object in its SQLite storage, and the versions that they have been given. */
export class Rows {
  /** The version of the newest change that is stored, as far as memory knows. */
  newest = FIRST_VERSION - 1;
  readonly #sql: SqlStorage;
  /** What the collections are, in a text: positions of other shapes are not known. */
  readonly #shape: string;
  /** The name of the run in which this object changes something. */
  #ownRun = randomName();
  #lastRun: (Run & { readonly shape: string }) | undefined;
  #isLoaded = false;
  #tombstones = 0;

  constructor(sql: SqlStorage, shape: string) {
    this.#sql = sql;
    this.#shape = shape;
  }

  /** The name of the run that has given the newest version. */
  get run(): string {
    return this.#lastRun?.run ?? this.#ownRun;
  }

  /**
   * Makes sure that memory knows what is stored. Returns true if that is not what it has known before: the storage was
   * emptied.
   */
  check(): boolean {
    const [run] = this.#read<Run & { shape: string }>(LAST_RUN);
    if (this.#isLoaded && run?.first === this.#lastRun?.first && run?.run === this.#lastRun?.run) return false;
    const isOther = this.#isLoaded;
    // Positions with its name may be known outside.
    if (isOther) this.#ownRun = randomName();
    const [{ newest, tombstones } = { newest: 0, tombstones: 0 }] = this.#read<{ newest: number; tombstones: number }>(
      TOTALS,
    );
    this.newest = Math.max(newest, run?.first ?? 0, FIRST_VERSION - 1);
    this.#tombstones = tombstones;
    this.#lastRun = run;
    this.#isLoaded = true;
    // Records are read in another way than before: what followers have is of no use.
    if (!isOther && run !== undefined && run.shape !== this.#shape) this.commit(this.newest + 1);
    return isOther;
  }

  /** Returns true if a position belongs to this storage, so that what has changed since is what was missed. */
  isKnown(run: string, version: number): boolean {
    return this.#read(KNOWN, run, this.#shape, version, this.newest).length > 0;
  }

  get(collection: string, id: string): Row | undefined {
    return this.#read<Row>(READ, collection, id)[0];
  }

  count(collection: string): number {
    return this.#read<{ count: number }>(COUNT, collection)[0]?.count ?? 0;
  }

  /** Reads the records of a collection, by their ids. Nothing may be written meanwhile. */
  of(collection: string): Iterable<Row> {
    return this.#cursor<Row>(OF_COLLECTION, collection);
  }

  /** Reads all records, or those that have changed or were deleted since a version. */
  since(version: number | undefined): Iterable<Row> {
    return version === undefined ? this.#cursor<Row>(ALL) : this.#cursor<Row>(SINCE, version);
  }

  /** Writes a record, or a tombstone: one row. */
  write({ collection, id, version, format, data }: Row): void {
    this.#write(WRITE, collection, id, version, format, data);
  }

  /** Notes that changes with this version are stored, of which some have deleted records. */
  commit(version: number, deleted = 0): void {
    this.newest = version;
    if (this.#lastRun?.run !== this.#ownRun) {
      this.#write(NOTE_RUN, version, this.#ownRun, this.#shape);
      this.#lastRun = { first: version, run: this.#ownRun, shape: this.#shape };
      const [{ runs }] = this.#read<{ runs: number }>(COUNT_RUNS);
      if (runs > MAX_RUNS) this.#write(FORGET_RUNS, KEPT_RUNS);
    }
    this.#tombstones += deleted;
    if (this.#tombstones > MAX_TOMBSTONES) this.#forgetTombstones();
  }

  #forgetTombstones(): void {
    const [oldest] = this.#read<{ version: number }>(OLDEST_KEPT);
    if (oldest !== undefined) {
      const { version } = oldest;
      const [{ run, shape }] = this.#read<{ run: string; shape: string }>(RUN_OF, version);
      this.#write(FORGET_TOMBSTONES, version);
      this.#write(FORGET_BEFORE, version);
      this.#write(NOTE_RUN, version, run, shape);
      if (this.#lastRun!.first <= version) this.#lastRun = { first: version, run, shape };
    }
    // Some of them are records again.
    this.#tombstones = this.#read<{ tombstones: number }>(TOTALS)[0].tombstones;
  }

  #read<Found extends object>(query: string, ...values: SqlStorageValue[]): Found[] {
    return [...this.#cursor<Found>(query, ...values)];
  }

  /** Nothing is made for reading: what was never written is empty. */
  #cursor<Found extends object>(query: string, ...values: SqlStorageValue[]): Iterable<Found> {
    try {
      return this.#sql.exec(query, ...values) as Iterable<unknown> as Iterable<Found>;
    } catch (error) {
      if (isMissingTable(error)) return [];
      throw error;
    }
  }

  #write(query: string, ...values: SqlStorageValue[]): void {
    withTables(this.#sql, TABLES, () => this.#sql.exec(query, ...values));
  }
}

/** Returns a name that is not given twice, in practice. It is short, because each follower gets it with each change. */
function randomName(): string {
  return Math.floor(Math.random() * 36 ** 5)
    .toString(36)
    .padStart(5, '0');
}
