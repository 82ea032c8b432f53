import { DatabaseSync, type StatementSync } from 'node:sqlite';

/** Ways in which writes fail: there is no room, or they cannot be made durable. */
export type DiskTrouble = 'full' | 'failing';

interface Commit {
  readonly number: number;
  isDurable: boolean;
}

/** With more, savepoints of commits that are durable are given up. */
const MOST_SAVEPOINTS = 64;

/**
 * The SQLite database of one object, as disks treat it. What is written in one event is one commit; a commit is durable some
 * time later, and what was not durable when the object crashed may be lost. All lies in one transaction of SQLite: a
 * savepoint is where a commit begins, so that those which are not durable can be taken back.
 */
export class Database {
  readonly #database = new DatabaseSync(':memory:');
  readonly #statements = new Map<string, StatementSync>();
  readonly #rows = new Map<string, boolean>();
  /** Commits that are not durable, or that follow one that is not; the oldest first. */
  #commits: Commit[] = [];
  #lastCommit = 0;
  /** Those that are open; all have the same name, which means the newest. */
  #savepoints = 0;
  /** True if something was written since the last commit. */
  #isWriting = false;
  trouble: DiskTrouble | undefined;
  /** Asked, where the disk is full, whether that shows at the write: else it does at the commit. */
  showsFull: () => boolean = () => false;
  /** Told when the first write since a commit is about to be made. */
  onWrite: () => void = () => {};

  constructor() {
    this.#database.exec(
      'CREATE TABLE _cf_KV (key TEXT PRIMARY KEY, value BLOB) WITHOUT ROWID; CREATE TABLE _cf_ALARM (id INTEGER PRIMARY KEY, at REAL); BEGIN',
    );
  }

  /** The commit that what is sent now has to wait for. */
  get current(): number {
    return this.#isWriting ? this.#lastCommit + 1 : this.#lastCommit;
  }

  /** The last commit that is durable, with all before it. */
  get durable(): number {
    return (this.#commits[0]?.number ?? this.#lastCommit + 1) - 1;
  }

  get isWriting(): boolean {
    return this.#isWriting;
  }

  /** Prepares a statement; the same one for the same text. */
  prepare(text: string): StatementSync {
    let statement = this.#statements.get(text);
    if (statement === undefined) {
      statement = this.#database.prepare(text);
      this.#statements.set(text, statement);
    }
    return statement;
  }

  /** Returns true if a statement, as text, gives rows. */
  givesRows(text: string): boolean {
    let gives = this.#rows.get(text);
    if (gives === undefined) {
      gives = this.prepare(text).columns().length > 0;
      this.#rows.set(text, gives);
    }
    return gives;
  }

  /**
   * Is to be called before each write.
   * @throws {Error} where the disk is full
   */
  beforeWrite(): void {
    if (this.trouble === 'full' && this.showsFull()) throw new Error('database or disk is full: SQLITE_FULL');
    if (this.#isWriting) return;
    this.#isWriting = true;
    this.prepare('SAVEPOINT written').run();
    this.#savepoints++;
    this.onWrite();
  }

  /** Runs a function in a savepoint of its own: what it wrote is taken back where it throws. */
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
   * Ends the commit that is being written, and returns its number.
   * @throws {Error} where the disk fails; then what was written is taken back
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

  /** Notes that a commit is durable, and so is all before it. */
  setDurable(number: number): void {
    this.#commits = this.#commits.filter((commit) => commit.number > number);
    if (this.#savepoints > MOST_SAVEPOINTS && this.#commits.length === 0 && !this.#isWriting) this.#settle();
  }

  /** Takes back what is not durable, unless it is to survive: the object has crashed. Returns how many commits were lost. */
  crash(keepsCommits: boolean): number {
    const isWriting = this.#isWriting;
    this.#isWriting = false;
    const lost = keepsCommits ? [] : this.#commits;
    this.#takeBack(lost.length + (isWriting ? 1 : 0));
    this.#settle();
    this.#commits = [];
    return lost.length;
  }

  /** Undoes what was written since so many savepoints. */
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

  /** When the alarm is due, by the object's date; null where none is set. */
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
