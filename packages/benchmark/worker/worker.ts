// Replaces console.debug with a no-op, so that nobody's debug output is measured.
import '@transformation-dev/debug';
import { routeRpc } from '@lumenize/rpc/server';
import { uncompressed } from '../../../examples/counter/src/uncompressed.ts';
import { verifyToken } from '../src/gateway/token.ts';
import { answerBlock } from './run-block.ts';

export {
  FeatureAll,
  FeatureAuthentication,
  FeatureBase,
  FeatureExactlyOnce,
  FeatureRateLimit,
  FeatureTracing,
  FeatureValidation,
} from './features/features.ts';
export { GatewayCapnWeb } from './gateway/gateway-capnweb.ts';
export { GatewayLumenize, GatewayLumenizeAccept } from './gateway/gateway-lumenize.ts';
export { GatewayRaw, GatewayRawAccept } from './gateway/gateway-raw.ts';
export { LoadCapnWeb } from './load/load-capnweb.ts';
export { LoadLumenize } from './load/load-lumenize.ts';
export { LoadRaw } from './load/load-raw.ts';
export { WorkCapnWeb } from './work-capnweb.ts';
export { WorkLumenize, WorkLumenizeAccept, WorkLumenizeBatches } from './work-lumenize.ts';
export { WorkRaw } from './work-raw.ts';
export { WorkRawAccept } from './work-raw-accept.ts';

/** The bindings that this file uses itself; the others of `wrangler.toml` beside it are found by their names. */
export interface Env {
  COUNTER: DurableObjectNamespace;
  COUNTER_CAPNWEB: DurableObjectNamespace;
  COUNTER_RAW: DurableObjectNamespace;
  COUNTER_RAW_ACCEPT: DurableObjectNamespace;
  GATEWAY_CAPNWEB: DurableObjectNamespace;
  GATEWAY_RAW: DurableObjectNamespace;
  GATEWAY_RAW_ACCEPT: DurableObjectNamespace;
  LOAD_CAPNWEB: DurableObjectNamespace;
  LOAD_RAW: DurableObjectNamespace;
}

// At the addresses of the counter's Worker, so that the subjects are the same.
const PEERS = new Map<string, keyof Env>([
  ['capnweb/counter', 'COUNTER_CAPNWEB'],
  ['capnweb/gateway', 'GATEWAY_CAPNWEB'],
  ['capnweb/load', 'LOAD_CAPNWEB'],
  ['raw/counter', 'COUNTER_RAW'],
  ['raw/gateway', 'GATEWAY_RAW'],
  ['raw/load', 'LOAD_RAW'],
  ['raw-accept/counter', 'COUNTER_RAW_ACCEPT'],
  ['raw-accept/gateway', 'GATEWAY_RAW_ACCEPT'],
]);
const PEER = /^\/([a-z-]+?)(-plain)?(\/[a-z]+)\/([^/]+)$/;

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/run-block') return answerBlock(request, env.COUNTER);
    const [, peer, plain, what, name] = PEER.exec(pathname) ?? [];
    const binding = PEERS.get(`${peer}${what}`);
    if (binding !== undefined) {
      return env[binding].get(env[binding].idFromName(name)).fetch(plain ? uncompressed(request) : request);
    }
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
