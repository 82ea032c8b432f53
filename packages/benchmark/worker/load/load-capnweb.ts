import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, RpcTarget } from 'capnweb';
import { backEndOn } from '../../src/capacity/back-end.ts';

const backEnd = backEndOn(RpcTarget);

/** The same served by Cap'n Web as its documentation says, without options. */
export class LoadCapnWeb extends DurableObject {
  override fetch(request: Request): Promise<Response> {
    return newWorkersRpcResponse(request, backEnd(this.ctx.storage.sql));
  }
}
