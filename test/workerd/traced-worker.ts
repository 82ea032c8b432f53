import { RpcObject, routeRpc } from '@lumenize/rpc/server';
import { BackTarget, FrontTarget, observe } from '../support/traced-targets.ts';

interface Env {
  BACK: DurableObjectNamespace;
}

export class Front extends RpcObject<Env> {
  override rpcOptions() {
    return { observe };
  }
  target() {
    return new FrontTarget(this.env.BACK.getByName('other'));
  }
}

export class Back extends RpcObject {
  override rpcOptions() {
    return { observe };
  }
  target() {
    return new BackTarget();
  }
}

export default {
  async fetch(request, env) {
    return (
      (await routeRpc(request, env as object, { bindings: ['FRONT', 'BACK'] })) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler;
