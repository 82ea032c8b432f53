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
    if (pathname === EVICT_PATH) await evict();
    if (pathname === EVICT_PATH || pathname === COLLECT_PATH) return collect();
    if (pathname === RAW_PATH) return env.RAW.getByName('idle').fetch(request);
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<Env>;

/** Has all objects leave memory as they do when nobody talks. */
async function evict(): Promise<void> {
  // Not for the bundler to look for.
  const { default: unsafe } = await import(['workerd', 'unsafe'].join(':'));
  await unsafe.evictAllDurableObjects({ webSockets: 'hibernate' });
}

function collect(): Response {
  (globalThis as { gc?: () => void }).gc?.();
  return new Response();
}
