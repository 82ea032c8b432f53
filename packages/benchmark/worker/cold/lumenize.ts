import { RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server';
import type { KeyValues } from '../../src/work/work.ts';
import { coldTarget, coldWorker } from './served.ts';

const Target = coldTarget(RpcTarget);

/** The target served by Lumenize RPC as it ships. */
export class Counter extends RpcObject {
  override target(): RpcTarget {
    return new Target(this.ctx.storage.kv as KeyValues);
  }
}

export default coldWorker((request, env) => routeRpc(request, { ...env }));
