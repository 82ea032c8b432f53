import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GuardedProcess } from './guarded-process.ts';
import { executable } from './installed.ts';
import { ROOT } from './root.ts';
import { type RunningServer, untilAnswering } from './running-server.ts';

const START_TIMEOUT_MS = 60_000;

/**
 * `wrangler dev` with a Worker's own `wrangler.toml`. By default it attaches a trace collector to the Worker, whose cost per
 * hibernation event is far above a call's own; it is off here unless `traced` asks for it.
 */
export class WranglerDevHost {
  readonly name: 'wrangler-dev' | 'wrangler-dev-traced';
  readonly #bundle: string;
  readonly #config: string;
  readonly #traced: boolean;

  /** `bundle` is the path of the Worker as one module, and `config.path` that of its `wrangler.toml`. */
  constructor(bundle: string, config: { readonly path: string }, { traced = false } = {}) {
    this.name = traced ? 'wrangler-dev-traced' : 'wrangler-dev';
    this.#bundle = bundle;
    this.#config = config.path;
    this.#traced = traced;
  }

  /** Starts a server with empty storage on a free port and resolves once it has answered a request. */
  async start(): Promise<RunningServer> {
    const directory = await mkdtemp(join(tmpdir(), 'lumenize-wrangler-'));
    const server = new GuardedProcess(
      directory,
      process.execPath,
      [
        executable('wrangler'),
        ...['dev', this.#bundle, '--config', this.#config, '--local', '--ip', '127.0.0.1', '--port', '0'],
        ...['--inspector-port', '0', '--persist-to', join(directory, 'state'), '--show-interactive-dev-session=false'],
      ],
      { cwd: ROOT, env: wranglerEnvironment(directory, this.#traced) },
    );
    const [, url] = await server.find(/Ready on (http:\/\/127\.0\.0\.1:\d+)/, START_TIMEOUT_MS);
    await untilAnswering(url, START_TIMEOUT_MS);
    return { url, stop: () => server.stop() };
  }
}

/** Returns the variables for `wrangler dev`, which tell it: to keep to itself, and, unless `traced`, to attach no collector. */
export function wranglerEnvironment(directory: string, traced = false): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CI: '1',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_WRITE_LOGS: 'false',
    // A registry of its own: a Worker of the same name that someone is developing must not be found or disturbed.
    WRANGLER_REGISTRY_PATH: join(directory, 'registry'),
    ...(traced ? {} : { X_LOCAL_OBSERVABILITY: 'false' }),
  };
}
