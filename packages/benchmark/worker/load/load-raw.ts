import { DurableObject } from 'cloudflare:workers';
import { backEndOn } from '../../src/capacity/back-end.ts';

const backEnd = backEndOn(Object);

/** The floor: hand-written JSON over hibernating sockets. */
export class LoadRaw extends DurableObject {
  readonly #backEnd = backEnd(this.ctx.storage.sql) as unknown as Record<string, (...args: unknown[]) => unknown>;

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, frame: string): void {
    const { id, m, a } = JSON.parse(frame);
    try {
      socket.send(JSON.stringify({ id, r: this.#backEnd[m](...a) ?? null }));
    } catch (error) {
      socket.send(JSON.stringify({ id, e: String(error) }));
    }
  }
}
