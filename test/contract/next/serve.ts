import { fileURLToPath } from 'node:url';
import { type ServedWorker, serveWorker } from '../../support/workerd.ts';

const file = (path: string) => fileURLToPath(new URL(path, import.meta.url));

/** Serves the Worker of the contract with the core that is written anew. */
export function serveNext(): Promise<ServedWorker> {
  return serveWorker({
    main: file('./worker.ts'),
    alias: { '@lumenize/rpc/server': file('../../../packages/rpc-next/src/server.ts') },
    compatibilityDate: '2026-10-15',
    compatibilityFlags: ['nodejs_compat'],
    objects: { CONTRACT: 'ContractObject', CONTRACT_ACCEPT: 'ContractObjectAccept' },
  });
}
