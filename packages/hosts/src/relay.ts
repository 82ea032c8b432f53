import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** A relay between clients and a server that can cut their connections. */
export interface Relay extends Disposable {
  /** The URL of the relay (`http://…`), to be used in place of the server's. */
  readonly url: string;
  /** Resets all connections. */
  cut(): void;
}

/** Opens a relay to the server at `url`, on a free port. */
export async function openRelay(url: string): Promise<Relay> {
  const { hostname: host, port } = new URL(url);
  const sockets = new Set<Socket>();
  const carry = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (chunk: Buffer) => to.writable && to.write(chunk));
    // A side may disappear without closing. The other side then loses its own connection.
    from.on('error', () => {}).on('close', () => sockets.delete(from) && to.destroy());
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host, port: Number(port), noDelay: true });
    carry(client, upstream);
    carry(upstream, client);
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    cut,
    [Symbol.dispose]() {
      server.close();
      cut();
    },
  };
}
