// Replaces console.debug with a no-op, so that nobody's debug output is measured.
import '@transformation-dev/debug';
import { routeRpc } from '@lumenize/rpc/server';
import { uncompressed } from '../../../examples/counter/src/uncompressed.ts';
import { verifyToken } from '../src/gateway/token.ts';
import { answerBlock } from './run-block.ts';

export * from './capnweb.ts';
export * from './lumenize.ts';
export * from './raw.ts';

/** What `wrangler.toml` beside this file binds. */
type Env = Readonly<Record<string, DurableObjectNamespace>>;

/** The addresses of all but Lumenize RPC's objects, as the counter's Worker has them. */
const PEER = /^\/(capnweb|raw|raw-accept)(-plain)?\/([a-z]+)\/([^/]+)$/;

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/run-block') return answerBlock(request, env.COUNTER);
    const [, peer, plain, what, name] = PEER.exec(pathname) ?? [];
    const objects = env[`${what}_${peer}`.toUpperCase().replace('-', '_')];
    if (objects) return objects.get(objects.idFromName(name)).fetch(plain ? uncompressed(request) : request);
    return (
      (await routeRpc(request, env)) ??
      (await routeRpc(request, env, {
        prefix: '/secure',
        authenticate: (_request, { token }) => verifyToken(token),
      })) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler<Env>;
