import { capnWeb } from '@lumenize/capnweb';
import { RpcTarget, serveRpc } from '@lumenize/rpc/server';

class Greeter extends RpcTarget {
  hello(name: string): string {
    return `Hello, ${name}!`;
  }
}

export default {
  async fetch(request) {
    if (new URL(request.url).pathname !== '/api') return new Response('Not found', { status: 404 });
    return serveRpc(request, new Greeter(), { protocols: [capnWeb({ prefix: '/api' })] }); // was newWorkersRpcResponse
  },
} satisfies ExportedHandler<object>;
