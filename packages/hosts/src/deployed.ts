import { randomUUID } from 'node:crypto';
import type { Host, RunningHost } from './host.ts';

/** A Worker that somebody has deployed: it is there already, stays there, and keeps its objects. */
export class DeployedHost implements Host {
  readonly name = 'deployed';
  readonly #url: string;

  /** `url` is as `RunningHost` has it. */
  constructor(url: string) {
    this.#url = url;
  }

  /** Starts nothing; every time there are other names for objects. */
  async start(): Promise<RunningHost> {
    return { url: this.#url, names: `${randomUUID()}-`, stop: async () => {} };
  }
}
