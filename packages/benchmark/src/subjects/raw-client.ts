import type { Message, Receiver } from '../events/events.ts';

interface Event {
  n: number;
  e: Message;
}

type Reply = { id: number; r: unknown } | { id: number; e: string };

interface Waiting {
  resolve(value: unknown): void;
  reject(error: Error): void;
}

/** The client of the hand-written protocol: a table of waiting calls and a socket, nothing more. */
export class RawClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Waiting>();
  #lastId = 0;
  /** Hears of events. */
  receiver: Receiver | undefined;

  /** Connects to `url`; resolves when the socket is open. */
  static connect(url: string): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.addEventListener('open', () => resolve(new RawClient(socket)));
      socket.addEventListener('close', () => reject(new Error(`no connection to ${url}`)));
    });
  }

  private constructor(socket: WebSocket) {
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(data as string) as Reply | Reply[] | Event;
      if (Array.isArray(message)) for (const reply of message) this.#settle(reply);
      else if ('n' in message) this.receiver!.receive(message.n, message.e);
      else this.#settle(message);
    });
    socket.addEventListener('close', () => {
      for (const { reject } of this.#waiting.values()) reject(new Error('the connection was closed'));
      this.#waiting.clear();
      this.receiver?.fail('the connection was closed');
    });
  }

  /** Calls `method` in a frame of its own. */
  call<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = this.#wait(resolve as Waiting['resolve'], reject);
      this.#socket.send(JSON.stringify({ id, m: method, a: args }));
    });
  }

  /** Calls `method` in a frame that says by a token who is calling, now and from now on. */
  callAs<T>(token: string, method: string, ...args: readonly unknown[]): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const id = this.#wait(resolve as Waiting['resolve'], reject);
      this.#socket.send(JSON.stringify({ id, m: method, a: args, t: token }));
    });
  }

  /** Calls `method` `n` times in one frame. */
  callInOneFrame<T>(n: number, method: string): Promise<T[]> {
    const requests: object[] = [];
    const replies: Promise<T>[] = [];
    for (let i = 0; i < n; i++) {
      replies.push(
        new Promise<T>((resolve, reject) => {
          requests.push({ id: this.#wait(resolve as Waiting['resolve'], reject), m: method, a: [] });
        }),
      );
    }
    this.#socket.send(JSON.stringify(requests));
    return Promise.all(replies);
  }

  close(): void {
    this.#socket.close();
  }

  #wait(resolve: Waiting['resolve'], reject: Waiting['reject']): number {
    const id = ++this.#lastId;
    this.#waiting.set(id, { resolve, reject });
    return id;
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) throw new Error(`a reply to no call: ${reply.id}`);
    this.#waiting.delete(reply.id);
    if ('e' in reply) waiting.reject(new Error(reply.e));
    else waiting.resolve(reply.r);
  }
}
