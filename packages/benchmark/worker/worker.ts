// Replaces console.debug with a no-op, so that nobody's debug output is measured.
import '@transformation-dev/debug';
import { routeRpc } from '@lumenize/rpc/server';
import { answerBlock } from './run-block.ts';

export { WorkCapnWeb } from './work-capnweb.ts';
export { WorkLumenize, WorkLumenizeAccept, WorkLumenizeBatches } from './work-lumenize.ts';
export { WorkRaw } from './work-raw.ts';

/** The bindings that the `wrangler.toml` beside this file gives the Worker. */
export interface Env {
  COUNTER: DurableObjectNamespace;
  COUNTER_ACCEPT: DurableObjectNamespace;
  COUNTER_BATCHES: DurableObjectNamespace;
  COUNTER_CAPNWEB: DurableObjectNamespace;
  COUNTER_RAW: DurableObjectNamespace;
}

// At the addresses of the counter's Worker, so that the subjects are the same.
const PEER = /^\/(capnweb|raw)\/counter\/([^/]+)$/;

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/run-block') return answerBlock(request, env.COUNTER);
    const [, subject, name] = PEER.exec(pathname) ?? [];
    if (name !== undefined) {
      const objects = subject === 'raw' ? env.COUNTER_RAW : env.COUNTER_CAPNWEB;
      return objects.get(objects.idFromName(name)).fetch(request);
    }
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<Env>;
