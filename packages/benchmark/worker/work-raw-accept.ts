import { DurableObject } from 'cloudflare:workers';
import type { KeyValues } from '../src/work/work.ts';
import { workOn } from '../src/work/work-target.ts';

type Methods = Record<string, (...args: unknown[]) => unknown>;

const work = workOn(Object);

/** The floor without hibernation: hand-written JSON over an `accept()`ed socket; it has no events. */
export class WorkRawAccept extends DurableObject {
  readonly #work = work(this.ctx.storage.kv as KeyValues) as Methods;

  override fetch(): Response {
    const { 0: client, 1: server } = new WebSocketPair();
    server.accept();
    server.addEventListener('message', ({ data }) => server.send(this.#answer(data as string)));
    return new Response(null, { status: 101, webSocket: client });
  }

  #answer(frame: string): string {
    const { id, m, a } = JSON.parse(frame);
    try {
      return JSON.stringify({ id, r: this.#work[m](...a) ?? null });
    } catch (error) {
      return JSON.stringify({ id, e: String(error) });
    }
  }
}
