import type { Caller } from '@lumenize/rpc/server';
import * as v from 'valibot';
import { mayCreate, SESSION_REQUEST, type Session, type SessionRequest, type User } from '../src/gateway/gateway.ts';
import type { EventSource } from '../src/work/work.ts';

/** Tells everybody else of new sessions, in the way of a library. */
export type Created = EventSource<Session, unknown>;

/** Makes the gateway of one user from a library's own `RpcTarget`: every subject runs this class, as it does that of `workOn`. */
export function gatewayOn<Target extends object>(
  RpcTarget: abstract new () => Target,
): new (
  sessions: Sessions,
  user: User,
  created: Created,
) => Target {
  const Base: abstract new () => object = RpcTarget;
  class Gateway extends Base {
    /** Lumenize RPC checks what is declared; other libraries have no use for it. */
    static readonly rpc = {
      createSession: { args: [SESSION_REQUEST], guard: ({ identity }: Caller<User>) => mayCreate(identity) },
    };
    readonly #sessions: Sessions;
    readonly #user: User;
    readonly #created: Created;

    constructor(sessions: Sessions, user: User, created: Created) {
      super();
      this.#sessions = sessions;
      this.#user = user;
      this.#created = created;
    }

    ping(): string {
      return 'pong';
    }

    whoAmI(): string {
      return this.#user.name;
    }

    createSession(request: SessionRequest): Session {
      const session = this.#sessions.create(request, this.#user);
      this.#created.publish(session);
      return session;
    }

    countSessions(): number {
      return this.#sessions.count();
    }

    subscribe(callback?: unknown): unknown {
      return this.#created.subscribe(callback);
    }
  }
  return Gateway as never;
}

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
export class Sessions {
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
