import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** How writes fail: there is no room, or they cannot be made durable. */
export type DiskTrouble = 'full' | 'failing';

interface Commit {
  readonly number: number;
  isDurable: boolean;
}

/** The number of savepoints beyond which those of durable commits are released. */
const MOST_SAVEPOINTS = 64;

/**
 * The SQLite database of one object, with the durability of real disks. The writes of one event are one commit. A
 * commit becomes durable some time later, and may be lost if the object crashes before that. Everything is in one
 * transaction of SQLite: each commit begins at a savepoint, so commits that are not durable can be undone.
 */
export class Database {
  readonly #database = new DatabaseSync(':memory:');
  readonly #statements = new Map<string, StatementSync>();
  readonly #rows = new Map<string, boolean>();
  /** Commits that are not durable or that follow one that is not, the oldest first. */
  #commits: Commit[] = [];
  #lastCommit = 0;
  /** The number of open savepoints. All have the same name, which refers to the newest. */
  #savepoints = 0;
  /** True if there were writes since the last commit. */
  #isWriting = false;
  trouble: DiskTrouble | undefined;
  /** Called if the disk is full. Returns true if the write fails, and false if the commit does. */
  showsFull: () => boolean = () => false;
  /** Called before the first write since a commit. */
  onWrite: () => void = () => {};

  constructor() {
    this.#database.exec(
      'CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID; CREATE TABLE _cf_ALARM (id INTEGER PRIMARY KEY, at REAL); BEGIN',
    );
  }

  /** The commit that a message sent now has to wait for. */
  get current(): number {
    return this.#isWriting ? this.#lastCommit + 1 : this.#lastCommit;
  }

  /** The last commit that is durable together with all commits before it. */
  get durable(): number {
    return (this.#commits[0]?.number ?? this.#lastCommit + 1) - 1;
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Prepares a statement. The same text gives the same statement. */
  prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Returns true if a statement returns rows. */
  givesRows(text: string): boolean {
    let gives = this.#rows.get(text);
    if (gives === undefined) {
      gives = this.prepare(text).columns().length > 0;
      this.#rows.set(text, gives);
    }
    return gives;
  }

  /**
   * Must be called before each write.
   * @throws {Error} if the disk is full
   */
  beforeWrite(): void {
    if (this.trouble === 'full' && this.showsFull()) throw new Error('database or disk is full: SQLITE_FULL');
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.prepare('SAVEPOINT written').run();
    this.#savepoints++;
    this.onWrite();
  }

  /** Runs a function in a savepoint of its own. If it throws, its writes are undone. */
  nested<Result>(name: string, job: () => Result): Result {
    this.begin(name);
    let result: Result;
    try {
      result = job();
    } catch (error) {
      this.rollBack(name);
      throw error;
    }
    this.release(name);
    return result;
  }

  begin(name: string): void {
    if (!this.#isWriting) this.beforeWrite();
    this.#database.exec(`SAVEPOINT ${name}`);
  }

  rollBack(name: string): void {
    this.#database.exec(`ROLLBACK TO ${name}; RELEASE ${name}`);
  }

  release(name: string): void {
    this.#database.exec(`RELEASE ${name}`);
  }

  /**
   * Ends the current commit, and returns its number.
   * @throws {Error} if the disk fails; the writes are then undone
   */
  commit(): number {
    this.#isWriting = false;
    const number = this.#lastCommit + 1;
    if (this.trouble !== undefined) {
      this.#takeBack(1);
      throw new Error(
        this.trouble === 'full' ? 'database or disk is full: SQLITE_FULL' : 'disk I/O error: SQLITE_IOERR',
      );
    }
    this.#lastCommit = number;
    this.#commits.push({ number, isDurable: false });
    return number;
  }

  /** Marks a commit as durable, together with all commits before it. */
  setDurable(number: number): void {
    this.#commits = this.#commits.filter((commit) => commit.number > number);
    if (this.#savepoints > MOST_SAVEPOINTS && this.#commits.length === 0 && !this.#isWriting) this.#settle();
  }

  /** Undoes the commits that are not durable, unless they survive the crash. Returns how many commits were lost. */
  crash(keepsCommits: boolean): number {
    const isWriting = this.#isWriting;
    this.#isWriting = false;
    const lost = keepsCommits ? [] : this.#commits;
    this.#takeBack(lost.length + (isWriting ? 1 : 0));
    this.#settle();
    this.#commits = [];
    return lost.length;
  }

  /** Undoes all writes since the given number of savepoints. */
  #takeBack(savepoints: number): void {
    this.#savepoints -= savepoints;
    for (let i = 0; i < savepoints; i++) {
      this.prepare('ROLLBACK TO written').run();
      this.prepare('RELEASE written').run();
    }
  }

  #settle(): void {
    this.#savepoints = 0;
    this.#database.exec('COMMIT; BEGIN');
  }

  /** When the alarm is due, by the object's date; null if none is set. */
  get alarm(): number | null {
    return (this.prepare('SELECT at FROM _cf_ALARM').get()?.at as number | undefined) ?? null;
  }

  setAlarm(at: number | null): void {
    this.beforeWrite();
    if (at === null) this.prepare('DELETE FROM _cf_ALARM').run();
    else this.prepare('INSERT OR REPLACE INTO _cf_ALARM (id, at) VALUES (1, ?)').run(at);
  }

  /** Deletes all tables. */
  deleteAll(): void {
    this.beforeWrite();
    this.#database.exec('DELETE FROM _cf_KV; DELETE FROM _cf_ALARM');
    const found = this.#database.prepare(
      "SELECT type, name FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' AND name NOT LIKE '_cf_%' AND type IN ('table', 'view')",
    );
    for (const { type, name } of found.all()) {
      this.#database.exec(`DROP ${type} "${String(name).replaceAll('"', '""')}"`);
    }
    this.#statements.clear();
  }

  close(): void {
    this.#statements.clear();
    this.#database.close();
  }
}
