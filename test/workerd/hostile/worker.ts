import { routeRpc } from '@lumenize/rpc/server';
import { EVICT_PATH, RAW_PATH } from '../../hostile/paths.ts';

export { IdleObject } from './idle-object.ts';
export { RawObject } from './raw-object.ts';
export { VictimObject } from './victim-object.ts';

interface Env {
  RAW: DurableObjectNamespace;
}

export default {
  async fetch(request, env) {
    const { pathname } = new URL(request.url);
    if (pathname === EVICT_PATH) return evict();
    if (pathname === RAW_PATH) return env.RAW.getByName('idle').fetch(request);
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<Env>;

/** Has all objects leave memory as they do when nobody talks, and collects what they leave behind. */
async function evict(): Promise<Response> {
  // Not for the bundler to look for.
  const { default: unsafe } = await import(['workerd', 'unsafe'].join(':'));
  await unsafe.evictAllDurableObjects({ webSockets: 'hibernate' });
  (globalThis as { gc?: () => void }).gc?.();
  return new Response();
}
