import type { Session, SessionRequest } from '../../src/gateway/gateway.ts';

/** The sessions of one gateway, a row each: every subject makes and stores them by this class. */
export class Sessions {
  readonly #sql: SqlStorage;
  #isReady = false;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Makes a session and stores it. */
  create({ title, agent }: SessionRequest, owner: string): Session {
    this.#prepare();
    const session: Session = { id: crypto.randomUUID(), title, agent, owner, createdAt: Date.now() };
    const { id, createdAt } = session;
    this.#sql.exec('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)', id, title, agent, owner, createdAt);
    return session;
  }

  count(): number {
    this.#prepare();
    return this.#sql.exec<{ count: number }>('SELECT count(*) AS count FROM sessions').one().count;
  }

  /** With the first use, so that whoever only connects waits for no table. */
  #prepare(): void {
    if (this.#isReady) return;
    this.#isReady = true;
    this.#sql.exec(
      'CREATE TABLE IF NOT EXISTS sessions (id TEXT PRIMARY KEY, title TEXT NOT NULL, agent TEXT NOT NULL, ' +
        'owner TEXT NOT NULL, created_at INTEGER NOT NULL) WITHOUT ROWID',
    );
  }
}
