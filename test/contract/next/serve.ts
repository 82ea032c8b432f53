import { fileURLToPath } from 'node:url';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';

const source = (file: string) => fileURLToPath(new URL(`../../../packages/rpc-next/src/${file}`, import.meta.url));

/** Serves the Worker with the objects of these tests, on the core anew. */
export function serveNext(): Promise<ServedWorker> {
  return serveWorker({
    main: fileURLToPath(new URL('./worker.ts', import.meta.url)),
    alias: { '@lumenize/rpc/server': source('server.ts') },
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
