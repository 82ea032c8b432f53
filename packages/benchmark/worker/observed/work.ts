import { evictObjects } from '@lumenize/hosts/memory-control';
import worker from '../worker.ts';

export * from '../worker.ts';

/** The Worker of the families that need more than a counter, whose objects can be told to hibernate. */
export default {
  async fetch(request, env) {
    if (new URL(request.url).pathname !== '/observed/evict') return worker.fetch(request, env);
    await evictObjects();
    return new Response();
  },
} satisfies typeof worker;
