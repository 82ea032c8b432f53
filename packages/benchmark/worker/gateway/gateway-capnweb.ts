import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, RpcTarget } from 'capnweb';
import { mayCreate, type Session, type User } from '../../src/gateway/gateway.ts';
import { parseRequest } from '../../src/gateway/session-request.ts';
import { verifyToken } from '../../src/gateway/token.ts';
import { type Callback, Callbacks } from '../callbacks.ts';
import { Sessions } from './sessions.ts';

/** What is the object's own: its sessions, and who wants to hear of them. */
interface Shared {
  readonly sessions: Sessions;
  readonly listeners: Callbacks<[session: Session]>;
}

class PublicApi extends RpcTarget {
  readonly #shared: Shared;

  constructor(shared: Shared) {
    super();
    this.#shared = shared;
  }

  async authenticate(token: unknown): Promise<UserApi> {
    const user = await verifyToken(token);
    if (user === undefined) throw new Error('authentication failed');
    return new UserApi(this.#shared, user);
  }
}

class UserApi extends RpcTarget {
  readonly #shared: Shared;
  readonly #user: User;

  constructor(shared: Shared, user: User) {
    super();
    this.#shared = shared;
    this.#user = user;
  }

  ping(): string {
    return 'pong';
  }

  whoAmI(): string {
    return this.#user.name;
  }

  createSession(request: unknown): Session {
    const valid = parseRequest(request);
    if (!mayCreate(this.#user)) throw new Error('this user may make no sessions');
    const session = this.#shared.sessions.create(valid, this.#user.name);
    this.#shared.listeners.callAll(session);
    return session;
  }

  countSessions(): number {
    return this.#shared.sessions.count();
  }

  listen(created: Callback<[session: Session]>): void {
    this.#shared.listeners.add(created);
  }
}

/**
 * The gateway served by Cap'n Web: `authenticate` returns what its documentation calls the authenticated API; sessions are
 * told by calling what listeners have passed.
 */
export class GatewayCapnWeb extends DurableObject {
  readonly #shared: Shared = { sessions: new Sessions(this.ctx.storage.sql), listeners: new Callbacks() };

  override fetch(request: Request): Promise<Response> {
    return newWorkersRpcResponse(request, new PublicApi(this.#shared));
  }
}
