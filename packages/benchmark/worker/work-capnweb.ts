import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, RpcTarget } from 'capnweb';
import type { KeyValues } from '../src/work/work.ts';
import { workOn } from '../src/work/work-target.ts';
import { CallbackEvents } from './callback-events.ts';

const work = workOn(RpcTarget);

/** The work served by Cap'n Web as its documentation says: one `newWorkersRpcResponse` in `fetch`, no options. */
export class WorkCapnWeb extends DurableObject {
  readonly #events = new CallbackEvents(this.ctx.storage.sql);

  override fetch(request: Request): Promise<Response> {
    return newWorkersRpcResponse(request, work(this.ctx.storage.kv as KeyValues, this.#events));
  }
}
