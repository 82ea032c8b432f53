import { fileURLToPath } from 'node:url';
import { type ServedWorker, serveWorker } from '../support/workerd.ts';

/** Serves the Worker with the objects of these tests. */
export function serveContract(): Promise<ServedWorker> {
  return serveWorker({
    main: fileURLToPath(new URL('./worker.ts', import.meta.url)),
    compatibilityDate: '2026-10-15',
    compatibilityFlags: ['nodejs_compat'],
    objects: {
      CONTRACT: 'ContractObject',
      CONTRACT_ACCEPT: 'ContractObjectAccept',
      NEWS: 'NewsObject',
      WHO: 'WhoObject',
    },
  });
}

/** The path at which all objects of `serveObjects` leave memory, as they do when nobody talks. */
const EVICT = '/evict-for-tests';

/** Serves objects that are looked at from outside, with a way to have them hibernate. */
export async function serveObjects(): Promise<ServedWorker & { evict(): Promise<void>; http(path: string): string }> {
  const served = await serveWorker({
    main: fileURLToPath(new URL('./objects-worker.ts', import.meta.url)),
    compatibilityDate: '2026-10-15',
    compatibilityFlags: ['nodejs_compat', 'unsafe_module'],
    objects: { DESK: 'DeskObject', GATED: 'GatedObject', FAULTY: 'FaultyObject', PLAIN: 'PlainObject' },
  });
  const http = (path: string) => served.url(path).replace('ws:', 'http:');
  return Object.assign(served, {
    http,
    async evict() {
      if (!(await fetch(http(EVICT))).ok) throw new Error('nothing was evicted');
    },
  });
}
