import { routeRpc } from '@lumenize/rpc/server';

export { Counter } from './counter.ts';

export default {
  /** `/rpc/counter/<name>` leads to an object; what is in `public` is served before this is asked. */
  async fetch(request, env) {
    return (await routeRpc(request, env)) ?? new Response('Not found\n', { status: 404 });
  },
} satisfies ExportedHandler<{ COUNTER: DurableObjectNamespace }>;
