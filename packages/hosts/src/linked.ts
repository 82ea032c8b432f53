import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { GuardedProcess } from './guarded-process.ts';
import type { Host, LinkHostName, RunningHost } from './host.ts';
import { LINKS, type LinkName } from './links/link.ts';

const PROXY = fileURLToPath(new URL('./links/proxy-process.ts', import.meta.url));
const START_TIMEOUT_MS = 60_000;

/** A host that is reached over an emulated link. A separate process adds the delay. */
export class LinkedHost implements Host {
  readonly name: LinkHostName;
  readonly #host: Host;
  readonly #link: LinkName;
  #starts = 0;

  constructor(host: Host, link: LinkName) {
    this.name = `workerd-${link}`;
    this.#host = host;
    this.#link = link;
  }

  async start(): Promise<RunningHost> {
    const server = await this.#host.start();
    const link = LINKS[this.#link];
    const directory = await mkdtemp(join(tmpdir(), 'benchmark-link-'));
    const { port } = new URL(server.url);
    // Each start has another seed, because jitter and losses are part of the difference between launches.
    const args = [PROXY, port, JSON.stringify(link), String(++this.#starts)];
    const proxy = new GuardedProcess(directory, process.execPath, args);
    try {
      const [, linkPort] = await proxy.find(/the link is at port (\d+)/, START_TIMEOUT_MS);
      return {
        url: `http://127.0.0.1:${linkPort}`,
        directUrl: server.url,
        stop: async () => {
          await proxy.stop();
          await server.stop();
        },
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  }
}
