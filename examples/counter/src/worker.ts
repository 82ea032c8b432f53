// Replaces console.debug with a no-op, so that nobody's debug output is measured.
import '@transformation-dev/debug';
import { routeRpc } from '@lumenize/rpc/server';
import { uncompressed } from './uncompressed.ts';

export { CounterCapnWeb } from './counter-capnweb.ts';
export { CounterLumenize } from './counter-lumenize.ts';
export { CounterLumenizeAccept } from './counter-lumenize-accept.ts';
export { CounterRaw } from './counter-raw.ts';
export { CounterRawAccept } from './counter-raw-accept.ts';

/** The bindings that the root `wrangler.toml` gives this Worker. */
export interface Env {
  COUNTER: DurableObjectNamespace;
  COUNTER_ACCEPT: DurableObjectNamespace;
  COUNTER_CAPNWEB: DurableObjectNamespace;
  COUNTER_RAW: DurableObjectNamespace;
  COUNTER_RAW_ACCEPT: DurableObjectNamespace;
}

/**
 * The other subjects of the benchmark, each at `/<subject>/counter/<name>`, and with sockets that are not compressed at
 * `/<subject>-plain/counter/<name>`; Lumenize's own are at `/rpc/`.
 */
const PEERS = {
  capnweb: 'COUNTER_CAPNWEB',
  raw: 'COUNTER_RAW',
  'raw-accept': 'COUNTER_RAW_ACCEPT',
} satisfies Record<string, keyof Env>;

const PLAIN = /-plain$/;

export default {
  async fetch(request, env) {
    return (
      (await routeRpc(request, env, { bindings: ['COUNTER', 'COUNTER_ACCEPT'] })) ??
      routePeer(request, env) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler<Env>;

function routePeer(request: Request, env: Env): Promise<Response> | undefined {
  const [, path, counter, name, ...rest] = new URL(request.url).pathname.split('/');
  const subject = path.replace(PLAIN, '');
  if (counter !== 'counter' || !name || rest.length > 0 || !Object.hasOwn(PEERS, subject)) return undefined;
  const namespace = env[PEERS[subject as keyof typeof PEERS]];
  return namespace.get(namespace.idFromName(name)).fetch(PLAIN.test(path) ? uncompressed(request) : request);
}
