import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { GuardedProcess } from '@lumenize/hosts/guarded-process';
import { executable } from '@lumenize/hosts/installed';
import { bundleWorker } from '@lumenize/hosts/worker-bundle';
import { serveBundle } from '@lumenize/hosts/workerd';
import { wranglerEnvironment } from '@lumenize/hosts/wrangler-dev';
import { build } from 'vite';
import { type ServedHttp, serveHttp } from '../support/serve-http.ts';
import { readWorker } from '../support/workerd.ts';
import type { PackedProject } from './packed-project.ts';

const START_TIMEOUT_MS = 60_000;

/** A server of the project, at an address without a slash at its end. */
export interface Served extends AsyncDisposable {
  readonly url: string;
}

/** Serves the project's Worker by workerd alone. */
export async function serveByWorkerd({ folder }: PackedProject): Promise<Served> {
  const worker = await readWorker(join(folder, 'wrangler.toml'));
  const bundle = join(folder, 'workerd');
  await mkdir(bundle);
  await bundleWorker(worker.main, bundle);
  const { port, kill } = await serveBundle(bundle, worker);
  return { url: `http://127.0.0.1:${port}`, [Symbol.asyncDispose]: kill };
}

/** Serves both Workers of the project, one bound to the other, by `wrangler dev`. */
export function serveByWrangler({ folder }: PackedProject): Promise<Served> {
  return runWrangler(folder, ['wrangler.toml', 'shop/wrangler.toml'], join(folder, 'wrangler'));
}

/** Serves Workers of a folder by `wrangler dev`; `state` is a folder of its own, which goes when it ends. */
export async function runWrangler(folder: string, configs: readonly string[], state: string): Promise<Served> {
  const server = new GuardedProcess(
    state,
    process.execPath,
    [
      executable('wrangler'),
      'dev',
      ...configs.flatMap((config) => ['--config', config]),
      ...[
        '--local',
        '--ip',
        '127.0.0.1',
        '--port',
        '0',
        '--inspector-port',
        '0',
        '--persist-to',
        state,
        '--show-interactive-dev-session=false',
      ],
    ],
    { cwd: folder, env: wranglerEnvironment(state) },
  );
  const [, url] = await server.find(/Ready on (http:\/\/127\.0\.0\.1:\d+)/, START_TIMEOUT_MS);
  return { url, [Symbol.asyncDispose]: () => server.stop() };
}

/** Serves the project's page as Vite builds it. */
export async function serveByVite({ folder }: PackedProject): Promise<ServedHttp> {
  const built = await build({ root: folder, configFile: false, logLevel: 'warn', build: { write: false } });
  if (!('output' in built)) throw new Error('Vite has built something else than one page');
  const files = new Map(built.output.map((file) => [file.fileName, file.type === 'chunk' ? file.code : file.source]));
  return serveHttp((request) => {
    const name = new URL(request.url).pathname.slice(1) || 'index.html';
    const file = files.get(name);
    const type = name.endsWith('.html') ? 'text/html' : 'text/javascript';
    // Copied: its bytes may be shared with another thread, by their type.
    const body = typeof file === 'string' ? file : file?.slice();
    return new Response(body, { status: body === undefined ? 404 : 200, headers: { 'Content-Type': type } });
  });
}
