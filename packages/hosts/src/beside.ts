import type { Host, RunningHost } from './host.ts';

/** A host that also runs a server with an earlier state of the code, for a client of that state. */
export class BesideHost implements Host {
  readonly name: Host['name'];
  readonly #host: Host;
  readonly #earlier: Host;
  readonly #client: string;

  /** Creates the host. `client` is the path of a module with the earlier client's `connect`. */
  constructor(host: Host, earlier: Host, client: string) {
    this.name = host.name;
    this.#host = host;
    this.#earlier = earlier;
    this.#client = client;
  }

  async start(): Promise<RunningHost> {
    const server = await this.#host.start();
    try {
      const earlier = await this.#earlier.start();
      return {
        ...server,
        earlier: { url: earlier.url, client: this.#client },
        stop: async () => void (await Promise.all([server.stop(), earlier.stop()])),
      };
    } catch (error) {
      await server.stop();
      throw error;
    }
  }
}
