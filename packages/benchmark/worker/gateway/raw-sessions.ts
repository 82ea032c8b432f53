import { mayCreate, type User } from '../../src/gateway/gateway.ts';
import { parseRequest } from '../../src/gateway/session-request.ts';
import { verifyToken } from '../../src/gateway/token.ts';
import { Sessions } from './sessions.ts';

interface Frame {
  id: number;
  m: string;
  a: unknown[];
  /** A token: who is calling, now and from now on. */
  t?: string;
}

/**
 * The floor's answers, whatever kind of socket brings the frames. What is told is written as JSON once, for the reply and
 * for all others who have shown a token.
 */
export class RawSessions {
  readonly #sessions: Sessions;
  readonly #users: Map<WebSocket, User>;
  readonly #onUser: (socket: WebSocket, user: User) => void;

  /** `users` are those of sockets that were known before the object hibernated; `onUser` hears of more. */
  constructor(sql: SqlStorage, users: Map<WebSocket, User>, onUser: (socket: WebSocket, user: User) => void) {
    this.#sessions = new Sessions(sql);
    this.#users = users;
    this.#onUser = onUser;
  }

  answer(socket: WebSocket, text: string): void | Promise<void> {
    const frame: Frame = JSON.parse(text);
    if (frame.t !== undefined) return this.#authenticate(socket, frame);
    this.#run(socket, this.#users.get(socket), frame);
  }

  forget(socket: WebSocket): void {
    this.#users.delete(socket);
  }

  async #authenticate(socket: WebSocket, frame: Frame): Promise<void> {
    const user = await verifyToken(frame.t);
    if (user !== undefined) {
      this.#users.set(socket, user);
      this.#onUser(socket, user);
    }
    this.#run(socket, user, frame);
  }

  #run(socket: WebSocket, user: User | undefined, { id, m, a }: Frame): void {
    try {
      if (user === undefined) throw new Error('authentication failed');
      if (m === 'createSession') this.#create(socket, user, id, a[0]);
      else socket.send(JSON.stringify({ id, r: this.#result(m, user) }));
    } catch (error) {
      socket.send(JSON.stringify({ id, e: String(error) }));
    }
  }

  #create(socket: WebSocket, user: User, id: number, argument: unknown): void {
    const request = parseRequest(argument);
    if (!mayCreate(user)) throw new Error('this user may make no sessions');
    const session = JSON.stringify(this.#sessions.create(request, user.name));
    socket.send(`{"id":${id},"r":${session}}`);
    const frame = `{"n":0,"e":${session}}`;
    for (const other of this.#users.keys()) if (other !== socket) other.send(frame);
  }

  #result(method: string, user: User): unknown {
    switch (method) {
      case 'ping':
        return 'pong';
      case 'whoAmI':
        return user.name;
      case 'countSessions':
        return this.#sessions.count();
      default:
        throw new Error(`no method named ${method}`);
    }
  }
}
