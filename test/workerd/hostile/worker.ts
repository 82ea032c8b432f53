import { collectGarbage, evictObjects } from '@lumenize/hosts/memory-control';
import { routeRpc } from '@lumenize/rpc/server';
import { COLLECT_PATH, EVICT_PATH, RAW_PATH } from '../../hostile/paths.ts';

export { IdleObject } from './idle-object.ts';
export { RawObject } from './raw-object.ts';
export { VictimObject } from './victim-object.ts';

interface Env {
  RAW: DurableObjectNamespace;
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === EVICT_PATH) await evictObjects();
    if (pathname === EVICT_PATH || pathname === COLLECT_PATH) {
      collectGarbage();
      return new Response();
    }
    if (pathname === RAW_PATH) return env.RAW.getByName('idle').fetch(request);
    return (
      (await routeRpc(request, env as object, { bindings: ['VICTIM', 'IDLE'] })) ??
      new Response('Not found', { status: 404 })
    );
  },
} satisfies ExportedHandler<Env>;
