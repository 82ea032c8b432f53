import * as v from 'valibot';
import { mayCreate, SESSION_REQUEST, type Session, type SessionRequest, type User } from '../src/gateway/gateway.ts';
import type { SessionStore } from '../src/work/work.ts';

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

/** The sessions of one gateway, a row each: every subject makes and stores them by this class. */
export class Sessions implements SessionStore {
  readonly #sql: SqlStorage;
  readonly #isChecked: boolean;
  #isReady = false;

  /** With `isChecked`, whoever calls `create` has looked at the request and the user before. */
  constructor(sql: SqlStorage, isChecked = false) {
    this.#sql = sql;
    this.#isChecked = isChecked;
  }

  /** Makes a session and stores it; throws where the request is none, or this user may make none. */
  create(request: SessionRequest, user: User): Session {
    const { title, agent } = this.#isChecked ? request : v.parse(SESSION_REQUEST, request);
    if (!this.#isChecked && !mayCreate(user)) throw new Error('this user may make no sessions');
    this.#prepare();
    const session: Session = { id: crypto.randomUUID(), title, agent, owner: user.name, createdAt: Date.now() };
    this.#sql.exec('INSERT INTO sessions VALUES (?, ?, ?, ?, ?)', ...Object.values(session));
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
