import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Direction } from '../world.ts';

/**
 * A TCP proxy in front of a port of this machine. One client connects through it, and it brings faults about on the
 * connections.
 */
export class FaultyLink implements AsyncDisposable {
  readonly #server: Server;
  readonly #ways = new Set<Way>();
  readonly #delays: Record<Direction, number> = { up: 0, down: 0 };
  #frozenUntil: Record<Direction, number> = { up: 0, down: 0 };

  private constructor(targetPort: number) {
    this.#server = createServer({ allowHalfOpen: true, noDelay: true }, (client) => {
      const server = connect({ port: targetPort, host: '127.0.0.1', allowHalfOpen: true, noDelay: true });
      const both = [this.#way('up', client, server), this.#way('down', server, client)];
      for (const socket of [client, server]) {
        socket.on('error', () => {});
        socket.on('close', () => {
          client.destroy();
          server.destroy();
          for (const way of both) this.#ways.delete(way);
        });
      }
    });
  }

  static async listen(targetPort: number): Promise<FaultyLink> {
    const link = new FaultyLink(targetPort);
    link.#server.listen(0, '127.0.0.1');
    await once(link.#server, 'listening');
    return link;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  /** Cuts all connections: at once, or after `afterBytes` more bytes in a direction. */
  cut(direction?: Direction, afterBytes = 0): void {
    for (const way of this.#ways) {
      if (direction === undefined) way.cut();
      else if (way.direction === direction) way.bytesLeft = Math.min(way.bytesLeft, afterBytes);
    }
  }

  freeze(direction: Direction | 'both', ms: number): void {
    for (const each of direction === 'both' ? (['up', 'down'] as const) : [direction]) {
      this.#frozenUntil[each] = Math.max(this.#frozenUntil[each], performance.now() + ms);
    }
  }

  delay(direction: Direction, ms: number): void {
    this.#delays[direction] = ms;
  }

  /** Ends all faults. */
  calm(): void {
    this.#frozenUntil = { up: 0, down: 0 };
    this.#delays.up = this.#delays.down = 0;
    for (const way of this.#ways) way.bytesLeft = Number.POSITIVE_INFINITY;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.close();
    for (const way of this.#ways) way.cut();
  }

  #way(direction: Direction, from: Socket, to: Socket): Way {
    const way = new Way(
      direction,
      from,
      to,
      () => this.#delays[direction],
      () => this.#frozenUntil[direction],
    );
    this.#ways.add(way);
    return way;
  }
}

/** One direction of a connection. */
class Way {
  readonly direction: Direction;
  bytesLeft = Number.POSITIVE_INFINITY;
  readonly #from: Socket;
  readonly #to: Socket;

  constructor(direction: Direction, from: Socket, to: Socket, delay: () => number, frozenUntil: () => number) {
    this.direction = direction;
    this.#from = from;
    this.#to = to;
    let last: Promise<unknown> = Promise.resolve();
    const inOrder = (job: () => void) => {
      const due = performance.now() + delay();
      last = last.then(async () => {
        for (let now = performance.now(); now < Math.max(due, frozenUntil()); now = performance.now()) {
          await new Promise((resolve) => setTimeout(resolve, Math.min(10, Math.max(due, frozenUntil()) - now)));
        }
        job();
      });
    };
    from.on('data', (bytes: Buffer) => inOrder(() => this.#pass(bytes)));
    from.on('end', () => inOrder(() => to.end()));
  }

  cut(): void {
    this.#from.resetAndDestroy();
    this.#to.resetAndDestroy();
  }

  #pass(bytes: Buffer): void {
    const passed = bytes.subarray(0, this.bytesLeft);
    this.bytesLeft -= passed.length;
    if (this.#to.writable) this.#to.write(passed);
    if (this.bytesLeft === 0) this.cut();
  }
}
