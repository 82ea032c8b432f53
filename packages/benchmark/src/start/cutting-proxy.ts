import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';

/** A TCP proxy that can reset every connection that goes through it. */
export class CuttingProxy {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();

  private constructor(target: URL) {
    this.#server = createServer({ noDelay: true }, (client) => {
      const server = connect({ port: Number(target.port), host: target.hostname, noDelay: true });
      for (const socket of [client, server]) {
        this.#sockets.add(socket);
        // One side that is gone takes the other with it.
        socket
          .on('error', () => {})
          .on('close', () => {
            this.#sockets.delete(socket);
            for (const each of [client, server]) each.destroy();
          });
      }
      client.pipe(server).pipe(client);
    });
  }

  /** Listens on a free port and passes on what comes to `target` (`http://…`). */
  static async before(target: string): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(new URL(target));
    proxy.#server.listen(0, '127.0.0.1');
    await once(proxy.#server, 'listening');
    return proxy;
  }

  /** Base address of the proxy. */
  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Resets whatever is connected; what comes later is passed on. */
  cut(): void {
    for (const socket of this.#sockets) socket.resetAndDestroy();
  }

  close(): void {
    this.#server.close();
    this.cut();
  }
}
