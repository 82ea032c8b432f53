import { RpcObject, routeRpc } from '@lumenize/rpc/server';
import { ContractTarget } from '../../../../test/contract/contract-target.ts';

/** Serves the contract suite over hibernating sockets. */
export class Contract extends RpcObject {
  target(): ContractTarget {
    return new ContractTarget();
  }
}

/** The same over sockets that do not hibernate. */
export class Accepted extends Contract {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}

export default {
  async fetch(request: Request, env: object): Promise<Response> {
    return (
      (await routeRpc(request, env, { bindings: ['CONTRACT', 'ACCEPTED'] })) ??
      new Response('not found', { status: 404 })
    );
  },
};
