// The hand-written protocol, the lower bound for the cost of a library. It is JSON over sockets, and plain objects over
// ports. This file has both sides, but not the carrier.
import type { Receiver } from './work.ts';

/** A request: a method with its arguments. */
export interface RequestByHand {
  readonly id: number;
  readonly m: string;
  readonly a: readonly unknown[];
  /** A token. It identifies the caller from now on. */
  readonly t?: string | undefined;
}

type Reply = { readonly id: number } & ({ readonly r: unknown } | { readonly e: string });

/** An event and its number. Only clients receive events. */
interface Event {
  readonly n: number;
  readonly e: never;
}

/** A target whose methods are called by their names. */
export type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** Calls the requested method. Requests of one frame are answered in one frame. */
export function answerByHand(target: object, asked: RequestByHand | readonly RequestByHand[]): object {
  if (Array.isArray(asked)) return asked.map((each) => answerByHand(target, each));
  const { id, m, a } = asked as RequestByHand;
  try {
    return { id, r: (target as Methods)[m](...a) ?? null } satisfies Reply;
  } catch (error) {
    return { id, e: String(error) } satisfies Reply;
  }
}

/** The client. It only has a table of pending calls. */
export class ClientByHand {
  readonly #send: (frame: object) => void;
  readonly #waiting = new Map<number, Pick<PromiseWithResolvers<never>, 'resolve' | 'reject'>>();
  #lastId = 0;
  /** The token, which is sent with the first frame and applies to all frames. */
  #token: string | undefined;
  /** Receives events. */
  receiver: Receiver<never> | undefined;

  constructor(send: (frame: object) => void, token?: string) {
    this.#send = send;
    this.#token = token;
  }

  /** Calls `method` in a frame of its own. */
  call<T>(method: string, ...args: readonly unknown[]): Promise<T> {
    const { request, reply } = this.#request<T>(method, args);
    this.#send(request);
    return reply;
  }

  /** Calls `method` `n` times in one frame. */
  callInOneFrame<T>(n: number, method: string): Promise<T[]> {
    const calls = Array.from({ length: n }, () => this.#request<T>(method, []));
    this.#send(calls.map(({ request }) => request));
    return Promise.all(calls.map(({ reply }) => reply));
  }

  /** Creates a stub with methods of these names. */
  stub(names: string): object {
    const call = (name: string) => [name, (...args: unknown[]) => this.call(name, ...args)];
    return Object.fromEntries(names.split(' ').map(call));
  }

  /** Handles a frame that has arrived. */
  hear(frame: Reply | readonly Reply[] | Event): void {
    if (Array.isArray(frame)) for (const reply of frame) this.#settle(reply);
    else if ('n' in frame) this.receiver!.receive(frame.n, frame.e);
    else this.#settle(frame as Reply);
  }

  /** Rejects all pending calls, because no more frames will arrive. */
  end(): void {
    for (const { reject } of this.#waiting.values()) reject(new Error('the connection was closed'));
    this.#waiting.clear();
    this.receiver?.fail('the connection was closed');
  }

  #request<T>(m: string, a: readonly unknown[]): { request: RequestByHand; reply: Promise<T> } {
    const id = ++this.#lastId;
    const t = this.#token;
    this.#token = undefined;
    const waiting = Promise.withResolvers<T>();
    this.#waiting.set(id, waiting);
    return { request: t === undefined ? { id, m, a } : { id, m, a, t }, reply: waiting.promise };
  }

  #settle(reply: Reply): void {
    const waiting = this.#waiting.get(reply.id);
    if (!waiting) throw new Error(`a reply to no call: ${reply.id}`);
    this.#waiting.delete(reply.id);
    if ('e' in reply) waiting.reject(new Error(reply.e));
    else waiting.resolve(reply.r as never);
  }
}
