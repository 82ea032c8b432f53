import { routeRpc } from '@lumenize/rpc/server';
// What `vite build` writes: the pages.
import kit from '../.svelte-kit/worker/kit.js';

export { Room } from './room.ts';

export default {
  async fetch(request, env, context) {
    return (await routeRpc(request, env)) ?? kit.fetch(request, env, context);
  },
} satisfies ExportedHandler<{ ROOM: DurableObjectNamespace }>;
