import { RpcObject } from '@lumenize/rpc/server';
import { VictimTarget } from '../../hostile/victim-target.ts';

/** What hostile frames are sent to, beside a client that behaves. */
export class VictimObject extends RpcObject {
  /** Of this life: a crash would begin another. */
  readonly #counts = { received: 0, value: 0 };

  override target(): VictimTarget {
    return new VictimTarget(this.#counts, this.topic('news', { retain: 10, persist: { everyEvents: 100 } }));
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void | Promise<void> {
    this.#counts.received++;
    return super.webSocketMessage(socket, message);
  }
}
