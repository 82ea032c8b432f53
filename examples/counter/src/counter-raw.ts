import { DurableObject } from 'cloudflare:workers';
import { CounterImpl } from './counter-impl.ts';
import { answerRaw } from './raw-answer.ts';

/** The floor: hand-written JSON over a hibernating socket, with no library between the frame and the counter. */
export class CounterRaw extends DurableObject {
  readonly #counter = new CounterImpl(this.ctx.storage);

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, frame: string | ArrayBuffer): void {
    socket.send(answerRaw(this.#counter, frame));
  }

  /** Answers a close, as every object with hibernating sockets has to: otherwise the client waits, and keeps its connection. */
  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }
}
