import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Bytes of TCP's content, from clients up and to them down. */
export interface Traffic {
  readonly up: number;
  readonly down: number;
}

/** Stands between clients and a server, counts what really passes, holds it for a while where it is told to, and cuts it. */
export interface Relay extends Disposable {
  /** Its address (`http://…`), to be used in the place of the server's. */
  readonly url: string;
  /** Returns all that has passed. */
  passed(): Traffic;
  /** Returns what had passed when the last bytes came from the server: without what the client sent after its answer. */
  passedAtLastDown(): Traffic;
  /** Resets whatever is connected. */
  cut(): void;
}

/** Relays to the server at `url`, on a free port; each chunk of bytes comes `delayMs` later. */
export async function openRelay(url: string, delayMs = 0): Promise<Relay> {
  const { hostname: host, port } = new URL(url);
  const sockets = new Set<Socket>();
  let passed: Traffic = { up: 0, down: 0 };
  let atLastDown = passed;
  const later = (task: () => void) => (delayMs > 0 ? setTimeout(task, delayMs) : task());
  const carry = (from: Socket, to: Socket, heard: (bytes: number) => void) => {
    sockets.add(from);
    from.on('data', (chunk: Buffer) => {
      heard(chunk.length);
      later(() => to.writable && to.write(chunk));
    });
    // Either side may go without a word; the other is told by the end of its own connection.
    from.on('error', () => {}).on('close', () => sockets.delete(from) && later(() => to.destroy()));
  };
  const server = createServer({ noDelay: true }, (client) => {
    const upstream = connect({ host, port: Number(port), noDelay: true });
    carry(client, upstream, (bytes) => {
      passed = { ...passed, up: passed.up + bytes };
    });
    carry(upstream, client, (bytes) => {
      passed = { ...passed, down: passed.down + bytes };
      atLastDown = passed;
    });
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const cut = () => {
    for (const socket of sockets) socket.resetAndDestroy();
  };
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed: () => passed,
    passedAtLastDown: () => atLastDown,
    cut,
    [Symbol.dispose]() {
      server.close();
      cut();
    },
  };
}
