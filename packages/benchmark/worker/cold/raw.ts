import { DurableObject } from 'cloudflare:workers';
import { answerByHand } from '../../src/work/by-hand.ts';
import type { KeyValues } from '../../src/work/work.ts';
import { coldTarget, coldWorker, toObject } from './served.ts';

const Target = coldTarget(Object);

/** The floor: the target in hand-written JSON over a hibernating socket. */
export class Counter extends DurableObject {
  readonly #target = new Target(this.ctx.storage.kv as KeyValues);

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    this.ctx.acceptWebSocket(server);
    return new Response(null, { status: 101, webSocket: client });
  }

  override webSocketMessage(socket: WebSocket, frame: string): void {
    socket.send(JSON.stringify(answerByHand(this.#target, JSON.parse(frame))));
  }

  override webSocketClose(socket: WebSocket): void {
    socket.close();
  }
}

export default coldWorker(toObject);
