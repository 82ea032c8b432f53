import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { FrameReader, type Traffic } from './frame-reader.ts';

/** What went through a relay up to some moment. */
export interface Relayed {
  readonly up: Traffic;
  readonly down: Traffic;
}

interface Counted extends Relayed {
  atLastDown: Relayed;
}

/** Stands between clients and a server, counts what really passes, and holds it for a while where it is told to. */
export class Relay {
  /** Address of the relay (`http://…`), to be used in the place of the server's. */
  readonly url: string;
  readonly #server: Server;
  readonly #sockets: Set<Socket>;
  readonly #counted: Counted;

  /** Relays to the server at `url`; each chunk of bytes comes `delayMs` later. */
  static async open(url: string, delayMs = 0): Promise<Relay> {
    const up = { frames: 0, bytes: 0 };
    const down = { frames: 0, bytes: 0 };
    const counted = { up, down, atLastDown: { up: { ...up }, down: { ...down } } };
    const { hostname, port } = new URL(url);
    const sockets = new Set<Socket>();
    const server = createServer({ noDelay: true }, (client) => {
      const upstream = connect({ host: hostname, port: Number(port), noDelay: true });
      for (const socket of [client, upstream]) {
        sockets.add(socket);
        // Either side may go without a word; the other is told by the end of its own connection.
        socket.on('error', () => {}).on('close', () => sockets.delete(socket));
      }
      const later = (task: () => void) => (delayMs > 0 ? setTimeout(task, delayMs) : task());
      const carry = (from: Socket, to: Socket, heard: (chunk: Buffer) => void) => {
        from.on('data', (chunk: Buffer) => {
          heard(chunk);
          later(() => to.writable && to.write(chunk));
        });
        from.on('close', () => later(() => to.destroy()));
      };
      const upReader = new FrameReader(up);
      const downReader = new FrameReader(down);
      carry(client, upstream, (chunk) => upReader.read(chunk));
      carry(upstream, client, (chunk) => {
        downReader.read(chunk);
        counted.atLastDown = { up: { ...up }, down: { ...down } };
      });
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return new Relay(server, sockets, counted);
  }

  private constructor(server: Server, sockets: Set<Socket>, counted: Counted) {
    this.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.#server = server;
    this.#sockets = sockets;
    this.#counted = counted;
  }

  /** All that has passed. */
  get passed(): Relayed {
    return { up: { ...this.#counted.up }, down: { ...this.#counted.down } };
  }

  /** What had passed when the last bytes came from the server: without what the client sent after its answer. */
  get passedAtLastDown(): Relayed {
    return this.#counted.atLastDown;
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}
