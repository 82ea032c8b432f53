import { DurableObject } from 'cloudflare:workers';
import { CounterImpl } from './counter-impl.ts';
import { answerRaw } from './raw-answer.ts';

/** The floor without hibernation: the hand-written JSON of `CounterRaw` over an `accept()`ed socket. */
export class CounterRawAccept extends DurableObject {
  readonly #counter = new CounterImpl(this.ctx.storage);

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener('message', ({ data }) => server.send(answerRaw(this.#counter, data)));
    return new Response(null, { status: 101, webSocket: client });
  }
}
