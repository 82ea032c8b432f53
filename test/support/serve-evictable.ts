import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type ServedWorker, serveWorker, type Worker } from './workerd.ts';

/** The path of a Worker that `serveEvictable` serves at which all of its objects leave memory, as they do when nobody talks. */
export const EVICT = '/evict-for-tests';

/** Serves a Worker, with a way to have its objects hibernate. What that takes is written into `folder`, inside of the project. */
export async function serveEvictable(worker: Worker, folder: string): Promise<ServedWorker> {
  const main = join(folder, 'with-eviction.js');
  await writeFile(
    main,
    `import worker from ${JSON.stringify(worker.main)};
export * from ${JSON.stringify(worker.main)};
export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '${EVICT}') return worker.fetch(request, env, ctx);
    const { default: unsafe } = await import(['workerd', 'unsafe'].join(':')); // not for the bundler to look for
    await unsafe.evictAllDurableObjects({ webSockets: 'hibernate' });
    return new Response();
  },
};
`,
  );
  return serveWorker({ ...worker, main, compatibilityFlags: ['unsafe_module'] });
}
