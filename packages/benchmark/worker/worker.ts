// Replaces console.debug with a no-op, so that nobody's debug output is measured.
import '@transformation-dev/debug';
import { routeRpc } from '@lumenize/rpc/server';
import { answerBlock } from './run-block.ts';

export { WorkCapnWeb } from './work-capnweb.ts';
export { WorkLumenize, WorkLumenizeAccept } from './work-lumenize.ts';

/** The bindings that the `wrangler.toml` beside this file gives the Worker. */
export interface Env {
  COUNTER: DurableObjectNamespace;
  COUNTER_ACCEPT: DurableObjectNamespace;
  COUNTER_CAPNWEB: DurableObjectNamespace;
}

// At the addresses of the counter's Worker, so that the subjects are the same.
const PEER = /^\/capnweb\/counter\/([^/]+)$/;

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === '/run-block') return answerBlock(request, env.COUNTER);
    const [, name] = PEER.exec(pathname) ?? [];
    if (name !== undefined) return env.COUNTER_CAPNWEB.get(env.COUNTER_CAPNWEB.idFromName(name)).fetch(request);
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<Env>;
