import { capnWeb } from '@lumenize/capnweb';
import { RpcObject, type RpcServerOptions, routeRpc } from '@lumenize/rpc/server';
import { ContractTarget } from '../contract-target.ts';

export { RulesObject } from './rules-object.ts';

/** The contract's target served by this library, to clients of either. */
export class ContractObject extends RpcObject {
  override target(): ContractTarget {
    return new ContractTarget();
  }

  override rpcOptions(): RpcServerOptions {
    return { protocols: [capnWeb()] };
  }
}

export default {
  async fetch(request, env) {
    const authenticate = ({ url }: Request) => new URL(url).searchParams.get('user') ?? 'nobody';
    const options = {
      bindings: ['CONTRACT', 'RULES'],
      authenticate: (from: Request) => (authenticate(from) === 'stranger' ? undefined : authenticate(from)),
    };
    const answer = await routeRpc(request, env, options);
    if (answer !== undefined) return answer;
    return (
      (await routeRpc(request, env, { ...options, prefix: '/capnweb' })) ?? new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler<object>;
