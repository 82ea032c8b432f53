import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between clients and a server, and cuts what is between them. */
export interface Relay extends Disposable {
  /** Its address (`http://…`), to be used in the place of the server's. */
  readonly url: string;
  /** Resets whatever is connected. */
  cut(): void;
}

/** Relays to the server at `url`, on a free port. */
export async function openRelay(url: string): Promise<Relay> {
  const { hostname: host, port } = new URL(url);
  const sockets = new Set<Socket>();
  const carry = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on('data', (chunk: Buffer) => to.writable && to.write(chunk));
    // Either side may go without a word; the other is told by the end of its own connection.
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
