import type { ConnectOptions, Stub } from '@lumenize/rpc';
import { connectSocket } from '@lumenize/rpc/socket';
import { WebSocket } from 'ws';

/** A client over real sockets, which a test can break at the place it wants. */
export class FaultyClient<Api extends object> implements Disposable {
  readonly stub: Stub<Api>;
  readonly #sockets: WebSocket[] = [];
  #isDeaf = false;
  #swallowed: (() => void) | undefined;

  constructor(url: string, options: ConnectOptions = {}) {
    const open = (protocols: string[]) => {
      const socket = new WebSocket(url, protocols);
      const listen = socket.addEventListener.bind(socket) as (type: string, listener: (event: never) => void) => void;
      const swallow = (listener: (event: never) => void) => (event: { data: unknown }) => {
        if (!this.#isDeaf || isHeartbeat(event.data)) return listener(event as never);
        this.#swallowed?.();
      };
      socket.addEventListener = ((type: string, listener: (event: never) => void) =>
        listen(type, type === 'message' ? (swallow(listener) as never) : listener)) as never;
      this.#sockets.push(socket);
      return socket;
    };
    this.stub = connectSocket<Api>(open, { reconnect: { minDelayMs: 1 }, ...options });
  }

  /** How many connections it has made. */
  get connections(): number {
    return this.#sockets.length;
  }

  get socket(): WebSocket {
    return this.#sockets.at(-1)!;
  }

  /** Loses the next answer of the server, and the connection with it: what was asked has run. */
  async loseAnswer(): Promise<void> {
    this.#isDeaf = true;
    await new Promise<void>((resolve) => {
      this.#swallowed = resolve;
    });
    this.#isDeaf = false;
    this.socket.terminate();
  }

  /** Loses the connection. */
  cut(): void {
    this.socket.terminate();
  }

  [Symbol.dispose](): void {
    (this.stub as Disposable)[Symbol.dispose]();
  }
}

function isHeartbeat(data: unknown): boolean {
  return typeof data === 'string' && !/^[[{]/.test(data);
}
