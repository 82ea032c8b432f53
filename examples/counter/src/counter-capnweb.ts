import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, RpcTarget } from 'capnweb';
import { CounterImpl } from './counter-impl.ts';

/** The counter as a Cap'n Web target: the same face as `CounterApi`, without a line of this project's library. */
class CounterCapnWebApi extends RpcTarget {
  readonly #counter: CounterImpl;

  constructor(storage: DurableObjectStorage) {
    super();
    this.#counter = new CounterImpl(storage);
  }

  increment(by = 1): number {
    return this.#counter.increment(by);
  }

  getValue(): number {
    return this.#counter.getValue();
  }

  reset(): void {
    this.#counter.reset();
  }
}

/** The counter served by Cap'n Web as its documentation says: one `newWorkersRpcResponse` in `fetch`, no options. */
export class CounterCapnWeb extends DurableObject {
  override fetch(request: Request): Promise<Response> {
    return newWorkersRpcResponse(request, new CounterCapnWebApi(this.ctx.storage));
  }
}
