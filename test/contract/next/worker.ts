import { RpcObject, routeRpc, serveRpc } from '@lumenize/rpc/server';
import { ContractTarget } from '../contract-target.ts';

/** Serves the contract suite over hibernating sockets. */
export class ContractObject extends RpcObject {
  override target(): ContractTarget {
    return new ContractTarget();
  }
}

/** The same with hibernation off. */
export class ContractObjectAccept extends ContractObject {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}

export default {
  async fetch(request, env) {
    // A Worker without an object: each connection, and each batch, has a target of its own.
    if (new URL(request.url).pathname === '/plain') return serveRpc(request, new ContractTarget());
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<{ CONTRACT: DurableObjectNamespace; CONTRACT_ACCEPT: DurableObjectNamespace }>;
