import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, type RpcStub, type RpcTarget } from 'capnweb';
import { ContractTarget } from '../contract-target.ts';

/**
 * The contract's target served by Cap'n Web as its documentation says. In Workers both libraries take the platform's
 * `RpcTarget` as their base, so that one class can serve both. What outlives a call is duplicated, as it asks for.
 */
export class ContractCapnWeb extends DurableObject {
  override fetch(request: Request): Promise<Response> {
    const keep = <T>(reference: T) => (reference as unknown as RpcStub<RpcTarget>).dup() as T;
    return newWorkersRpcResponse(request, new ContractTarget(keep));
  }
}

export default {
  fetch(request, env) {
    const { CONTRACT } = env as { CONTRACT: DurableObjectNamespace };
    return CONTRACT.getByName(new URL(request.url).pathname).fetch(request);
  },
} satisfies ExportedHandler;
