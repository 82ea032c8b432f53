import { RpcError as ClientError, RpcTarget as ClientTarget, connect } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { connectInMemory } from '@lumenize/rpc/memory';
import { RpcError, RpcTarget, routeRpc } from '@lumenize/rpc/server';
import { decode, encode } from '@lumenize/structured-clone';
import { entries } from './entries.ts';
import type { ShopApi } from './shop/worker.ts';

export { Counter } from './counter.ts';

interface Env {
  COUNTER: DurableObjectNamespace;
  SHOP?: Fetcher;
}

class Greeter extends RpcTarget {
  greet(name: string): string {
    return `Hello, ${name}`;
  }
}

/** What holds in a Worker that imports everything. */
async function inspect(): Promise<object> {
  return {
    errors: RpcError === ClientError,
    targets: RpcTarget === ClientTarget,
    platform: new Greeter() instanceof (await import('cloudflare:workers')).RpcTarget,
    connect: typeof connect,
    greeting: await connectInMemory(new Greeter()).greet('Ada'),
    bytes: decode(encode(new Set([1n]))) instanceof Set,
    entries: Object.keys(entries),
  };
}

export default {
  async fetch(request, env): Promise<Response> {
    const { pathname } = new URL(request.url);
    if (pathname === '/inspect') return Response.json(await inspect());
    if (pathname === '/shop' && env.SHOP !== undefined) {
      const shop = connectBinding<ShopApi>(env.SHOP, { identity: 'counter' });
      return Response.json(await Promise.all([shop.price('apple'), shop.buyer()]));
    }
    const authenticate = () => 'Ada';
    return (
      (await routeRpc(request, env, { authenticate, allowedOrigins: ['*'] })) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler<Env>;
