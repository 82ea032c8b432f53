import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { type ServedBundle, serveBundle } from '@lumenize/hosts/workerd';

const ENTRY = fileURLToPath(new URL('../../programs/worker.ts', import.meta.url));

/** The path of requests that make all objects leave memory, as they do when they are idle. */
export const EVICT = '/evict';

/** A workerd process that serves programs, with one object for each. */
export class WorkerdHost implements AsyncDisposable {
  readonly #folder: string;
  readonly #served: ServedBundle;
  #programs = 0;

  private constructor(folder: string, served: ServedBundle) {
    this.#folder = folder;
    this.#served = served;
  }

  static async start(): Promise<WorkerdHost> {
    const folder = await mkdtemp(join(tmpdir(), 'lumenize-programs-'));
    const main = join(folder, 'main.js');
    await writeFile(main, withEviction());
    await bundleWorker(main, folder, ['@lumenize/source']);
    const served = await serveBundle(folder, {
      compatibilityDate: '2026-10-15',
      compatibilityFlags: ['unsafe_module'],
      objects: { PROGRAM: 'Program' },
    });
    return new WorkerdHost(folder, served);
  }

  get port(): number {
    return this.#served.port;
  }

  /** Returns a name for the next program's object. */
  nextName(): string {
    return `program-${this.#programs++}`;
  }

  /** Ends the process without warning, and serves again on the same port and storage. */
  async restart(): Promise<void> {
    await this.#served.kill();
    await this.#served.restart();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served.kill();
    await rm(this.#folder, { recursive: true, force: true });
  }
}

function withEviction(): string {
  const entry = JSON.stringify(ENTRY);
  return `import worker from ${entry};
export * from ${entry};
export default {
  async fetch(request, env, ctx) {
    if (new URL(request.url).pathname !== '${EVICT}') return worker.fetch(request, env, ctx);
    const { default: unsafe } = await import(['workerd', 'unsafe'].join(':')); // not for the bundler to look for
    try {
      await unsafe.evictAllDurableObjects({ webSockets: 'hibernate' });
    } catch (error) {
      return new Response(String(error), { status: 503 });
    }
    return new Response();
  },
};
`;
}
