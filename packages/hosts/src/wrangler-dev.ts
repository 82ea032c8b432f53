import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { GuardedProcess } from './guarded-process.ts';
import { executable } from './installed.ts';
import { ROOT } from './root.ts';
import { type RunningServer, untilAnswering } from './running-server.ts';

const START_TIMEOUT_MS = 60_000;

/**
 * A host that runs `wrangler dev` with a Worker's own `wrangler.toml`. By default, `wrangler dev` attaches a trace
 * collector to the Worker, which costs far more per hibernation event than a call itself. The collector is off here
 * unless `traced` is set.
 */
export class WranglerDevHost {
  readonly name: 'wrangler-dev' | 'wrangler-dev-traced';
  readonly #bundle: string;
  readonly #config: string;
  readonly #traced: boolean;

  /**
   * Creates the host. `bundle` is the path of the Worker as one module, and `config.path` that of its `wrangler.toml`.
   */
  constructor(bundle: string, config: { readonly path: string }, { traced = false } = {}) {
    this.name = traced ? 'wrangler-dev-traced' : 'wrangler-dev';
    this.#bundle = bundle;
    this.#config = config.path;
    this.#traced = traced;
  }

  /** Starts a server with empty storage on a free port, and resolves once it has answered a request. */
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

/**
 * Returns the environment variables for `wrangler dev`. They keep it from contacting other services and, unless
 * `traced`, from attaching a trace collector.
 */
export function wranglerEnvironment(directory: string, traced = false): NodeJS.ProcessEnv {
  return {
    ...process.env,
    CI: '1',
    WRANGLER_SEND_METRICS: 'false',
    WRANGLER_SEND_ERROR_REPORTS: 'false',
    WRANGLER_HIDE_BANNER: 'true',
    WRANGLER_WRITE_LOGS: 'false',
    // Uses its own registry, so that it does not find or disturb a Worker of the same name that someone is developing.
    WRANGLER_REGISTRY_PATH: join(directory, 'registry'),
    ...(traced ? {} : { X_LOCAL_OBSERVABILITY: 'false' }),
  };
}
