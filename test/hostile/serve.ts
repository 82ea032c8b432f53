import { fileURLToPath } from 'node:url';
import { readWorker, type ServedWorker, serveWorker } from '../support/workerd.ts';

const config = fileURLToPath(new URL('../workerd/hostile/wrangler.toml', import.meta.url).href);

/** Serves the Worker of the hostile suite by a workerd of its own. */
export async function serveHostileWorker(): Promise<ServedWorker> {
  return serveWorker(await readWorker(config));
}
