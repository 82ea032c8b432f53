import { fileURLToPath } from 'node:url';
import { type ServedWorker, serveWorker } from './workerd.ts';

/** Serves the Worker whose objects take clients of Cap'n Web too: those of the contract, and those of the rules. */
export function serveAdapter(entry = 'adapter-worker.ts'): Promise<ServedWorker> {
  return serveWorker({
    main: fileURLToPath(new URL(`../contract/capnweb/${entry}`, import.meta.url).href),
    compatibilityDate: '2026-10-15',
    objects: { CONTRACT: 'ContractObject', RULES: 'RulesObject' },
  });
}
