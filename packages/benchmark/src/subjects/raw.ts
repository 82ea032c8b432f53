import type { Receiver } from '../work/work.ts';
import { callEach, connectionOf, gatewayOf, type Subject, type SubjectName, stubOf } from './subject.ts';

/** Makes `n` increments within one turn, in the frames that a subject chooses. */
export type Burst = (client: RawClient, n: number) => Promise<number[]>;

const aFrameEach: Burst = (client, n) => callEach(n, () => client.call<number>('increment'));

/** The methods that are called by hand: of the counter, and of the gateway. */
const COUNTER = 'increment getValue reset noop insert rows publish';
const GATEWAY = 'ping whoAmI createSession countSessions';

/** Makes the subject that calls the counter, and the gateway, at `path` through the hand-written protocol. */
export function rawAt(name: SubjectName, path: string, burst: Burst = aFrameEach): Subject {
  const open = (baseUrl: string, what: string, instance: string, token?: string) =>
    RawClient.connect(`${baseUrl.replace('http', 'ws')}/${path}/${what}/${instance}`, token);
  const stub = (client: RawClient, names: string) => stubOf(names, (method, ...args) => client.call(method, ...args));
  return {
    name,
    carrier: 'socket',
    async connect(baseUrl, instance) {
      const client = await open(baseUrl, 'counter', instance);
      // Each event comes in a frame of its own, on the socket that asked for them.
      const { turn: _, ...connection } = connectionOf(
        stub(client, COUNTER),
        () => client.close(),
        async (receiver) => {
          client.receiver = receiver;
          await client.call('subscribe');
        },
      );
      return {
        ...connection,
        incrementInOneTurn: (n) => burst(client, n),
        echo: (value) => echo(client, value),
      };
    },
    // The first frame carries the token beside its call. Whoever is known to the gateway is told: there is nothing to ask for.
    async connectAs(baseUrl, instance, token) {
      const client = await open(baseUrl, 'gateway', instance, token);
      return gatewayOf(
        stub(client, GATEWAY),
        () => client.close(),
        async (receiver) => {
          client.receiver = receiver;
        },
      );
    },
  };
}

/** JSON goes as it is, bytes as base64. */
async function echo(client: RawClient, value: unknown): Promise<unknown> {
  if (!(value instanceof Uint8Array)) return client.call('echo', value);
  const text = await client.call<string>('echo', Buffer.from(value).toString('base64'));
  return new Uint8Array(Buffer.from(text, 'base64'));
}

/** Hand-written JSON over a hibernating socket: the floor that a library can be measured against. */
export const raw: Subject = rawAt('raw', 'raw');
/** `raw` without the compression that the platform adds to sockets of which nothing is said. */
export const rawPlain: Subject = rawAt('raw-plain', 'raw-plain');

interface Event {
  n: number;
  e: never;
}

type Reply = { id: number; r: unknown } | { id: number; e: string };

/** The client of the hand-written protocol: a table of waiting calls and a socket, nothing more. */
export class RawClient {
  readonly #socket: WebSocket;
  readonly #waiting = new Map<number, Pick<PromiseWithResolvers<never>, 'resolve' | 'reject'>>();
  #lastId = 0;
  /** What the first frame says by whom it is, and all that come after it. */
  #token: string | undefined;
  /** Hears of events. */
  receiver: Receiver<never> | undefined;

  /** Connects to `url`; resolves when the socket is open. */
  static connect(url: string, token?: string): Promise<RawClient> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(url);
      socket.addEventListener('open', () => resolve(new RawClient(socket, token)));
      socket.addEventListener('close', () => reject(new Error(`no connection to ${url}`)));
    });
  }

  private constructor(socket: WebSocket, token: string | undefined) {
    this.#socket = socket;
    this.#token = token;
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
    const { request, reply } = this.#request<T>(method, args);
    this.#socket.send(JSON.stringify(request));
    return reply;
  }

  /** Calls `method` `n` times in one frame. */
  callInOneFrame<T>(n: number, method: string): Promise<T[]> {
    const calls = Array.from({ length: n }, () => this.#request<T>(method, []));
    this.#socket.send(JSON.stringify(calls.map(({ request }) => request)));
    return Promise.all(calls.map(({ reply }) => reply));
  }

  close(): void {
    this.#socket.close();
  }

  #request<T>(m: string, a: readonly unknown[]): { request: object; reply: Promise<T> } {
    const id = ++this.#lastId;
    const t = this.#token;
    this.#token = undefined;
    const waiting = Promise.withResolvers<T>();
    this.#waiting.set(id, waiting);
    return { request: { id, m, a, t }, reply: waiting.promise };
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) throw new Error(`a reply to no call: ${reply.id}`);
    this.#waiting.delete(reply.id);
    if ('e' in reply) waiting.reject(new Error(reply.e));
    else waiting.resolve(reply.r as never);
  }
}
