import { DurableObject } from 'cloudflare:workers';
import type { User } from '../../src/gateway/gateway.ts';
import { RawSessions } from './raw-sessions.ts';

/** The floor: the gateway in hand-written JSON over hibernating sockets, with which it is kept who has shown a token. */
export class GatewayRaw extends DurableObject {
  readonly #sessions = new RawSessions(this.ctx.storage.sql, this.#known(), (socket, user) =>
    socket.serializeAttachment(user),
  );

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, frame: string): void | Promise<void> {
    return this.#sessions.answer(socket, frame);
  }

  override webSocketClose(socket: WebSocket): void {
    this.#sessions.forget(socket);
  }

  #known(): Map<WebSocket, User> {
    const users = new Map<WebSocket, User>();
    for (const socket of this.ctx.getWebSockets()) {
      const user: User | null = socket.deserializeAttachment();
      if (user !== null) users.set(socket, user);
    }
    return users;
  }
}

/** The floor without hibernation. */
export class GatewayRawAccept extends DurableObject {
  readonly #sessions = new RawSessions(this.ctx.storage.sql, new Map(), () => {});

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener('message', ({ data }) => this.#sessions.answer(server, data as string));
    server.addEventListener('close', () => this.#sessions.forget(server));
    return new Response(null, { status: 101, webSocket: client });
  }
}
