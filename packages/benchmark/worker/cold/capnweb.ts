import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, RpcTarget } from 'capnweb';
import type { KeyValues } from '../../src/work/work.ts';
import { coldTarget, coldWorker, toObject } from './served.ts';

const Target = coldTarget(RpcTarget);

/** The target served by Cap'n Web as its documentation says. */
export class Counter extends DurableObject {
  override fetch(request: Request): Promise<Response> {
    return newWorkersRpcResponse(request, new Target(this.ctx.storage.kv as KeyValues));
  }
}

export default coldWorker(toObject);
