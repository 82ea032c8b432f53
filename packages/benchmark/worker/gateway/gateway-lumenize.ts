import { type Caller, RpcObject, RpcTarget, type Subscription, type Topic } from '@lumenize/rpc/server';
import { mayCreate, type Session, type SessionRequest, type User } from '../../src/gateway/gateway.ts';
import { SESSION_REQUEST } from '../../src/gateway/session-request.ts';
import { Sessions } from './sessions.ts';

class GatewayApi extends RpcTarget {
  static readonly rpc = {
    createSession: { args: [SESSION_REQUEST], guard: ({ identity }: Caller<User>) => mayCreate(identity) },
  };
  readonly #sessions: Sessions;
  readonly #created: Topic<Session>;
  readonly #user: User;

  constructor(sessions: Sessions, created: Topic<Session>, user: User) {
    super();
    this.#sessions = sessions;
    this.#created = created;
    this.#user = user;
  }

  ping(): string {
    return 'pong';
  }

  whoAmI(): string {
    return this.#user.name;
  }

  createSession(request: SessionRequest): Session {
    const session = this.#sessions.create(request, this.#user.name);
    this.#created.publish(session);
    return session;
  }

  countSessions(): number {
    return this.#sessions.count();
  }

  sessions(): Subscription<Session> {
    return this.#created.subscribe();
  }
}

/**
 * The gateway served by Lumenize RPC: who is calling is found out in the Worker, from the token of the upgrade; schema and
 * guard are declared; sessions are told by a topic, which stores the number of its newest event.
 */
export class GatewayLumenize extends RpcObject<unknown, User> {
  readonly #sessions = new Sessions(this.ctx.storage.sql);
  readonly #created = this.topic<Session>('created', { retain: 0 });

  override target({ identity }: Caller<User>): RpcTarget {
    return new GatewayApi(this.#sessions, this.#created, identity);
  }
}

/** The same with hibernation off, the socket kind that Cap'n Web uses. */
export class GatewayLumenizeAccept extends GatewayLumenize {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}
