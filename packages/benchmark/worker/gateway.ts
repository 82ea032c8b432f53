import type { Caller } from '@lumenize/rpc/server';
import { mayCreate, SESSION_REQUEST, type Session, type SessionRequest, type User } from '../src/gateway/gateway.ts';
import type { EventSource } from '../src/work/work.ts';
import type { Sessions } from './rows.ts';

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
