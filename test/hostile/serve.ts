import { fileURLToPath } from 'node:url';
import { readWorker, type ServedWorker, serveWorker } from '../support/workerd.ts';
import { COLLECT_PATH } from './paths.ts';

const config = fileURLToPath(new URL('../workerd/hostile/wrangler.toml', import.meta.url).href);

/** Serves the Worker of the hostile suite by a workerd of its own. */
export async function serveHostileWorker(): Promise<ServedWorker> {
  return serveWorker(await readWorker(config));
}

/** Asks the Worker for something that tests ask for. */
export async function ask({ port }: ServedWorker, path: string): Promise<void> {
  const response = await fetch(`http://127.0.0.1:${port}${path}`);
  if (!response.ok) throw new Error(`${path}: ${response.status}`);
}

/** Bytes that are resident when garbage has been collected: twice, since some finds its end only after the first time. */
export async function settledBytes(worker: ServedWorker): Promise<number> {
  for (let round = 0; round < 2; round++) await ask(worker, COLLECT_PATH);
  return worker.residentBytes();
}
