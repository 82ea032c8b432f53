import { randomUUID } from 'node:crypto';
import type { Host, RunningHost } from './host.ts';

/** The host of a Worker that is already deployed. The Worker stays deployed and keeps its objects. */
export class DeployedHost implements Host {
  readonly name = 'deployed';
  readonly #url: string;

  /** Creates the host. `url` is the base URL of the Worker, as in `RunningHost`. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Starts nothing. Each call returns a new prefix for the names of objects. */
  async start(): Promise<RunningHost> {
    return { url: this.#url, names: `${randomUUID()}-`, stop: async () => {} };
  }
}
