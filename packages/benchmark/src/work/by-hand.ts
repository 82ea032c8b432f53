// The protocol that is written by hand, the floor that a library can be measured against: over sockets as JSON, over ports
// as it is. Both sides are here, but not what carries it.
import type { Receiver } from './work.ts';

/** A request: a method with its arguments. */
export interface RequestByHand {
  readonly id: number;
  readonly m: string;
  readonly a: readonly unknown[];
  /** A token: who is calling, now and from now on. */
  readonly t?: string | undefined;
}

type Reply = { readonly id: number } & ({ readonly r: unknown } | { readonly e: string });

/** An event, which only clients are sent, and its number. */
interface Event {
  readonly n: number;
  readonly e: never;
}

/** A target whose methods are called by their names. */
export type Methods = Readonly<Record<string, (...args: readonly unknown[]) => unknown>>;

/** Calls what is asked for; requests of one frame are answered in one. */
export function answerByHand(target: object, asked: RequestByHand | readonly RequestByHand[]): object {
  if (Array.isArray(asked)) return asked.map((each) => answerByHand(target, each));
  const { id, m, a } = asked as RequestByHand;
  try {
    return { id, r: (target as Methods)[m](...a) ?? null } satisfies Reply;
  } catch (error) {
    return { id, e: String(error) } satisfies Reply;
  }
}

/** The client: a table of waiting calls, nothing more. */
export class ClientByHand {
  readonly #send: (frame: object) => void;
  readonly #waiting = new Map<number, Pick<PromiseWithResolvers<never>, 'resolve' | 'reject'>>();
  #lastId = 0;
  /** Goes with the first frame, and says whose all frames are. */
  #token: string | undefined;
  /** Hears of events. */
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

  /** Makes a stub that has methods of these names. */
  stub(names: string): object {
    const call = (name: string) => [name, (...args: unknown[]) => this.call(name, ...args)];
    return Object.fromEntries(names.split(' ').map(call));
  }

  /** Takes a frame that has come. */
  hear(frame: Reply | readonly Reply[] | Event): void {
    if (Array.isArray(frame)) for (const reply of frame) this.#settle(reply);
    else if ('n' in frame) this.receiver!.receive(frame.n, frame.e);
    else this.#settle(frame as Reply);
  }

  /** Rejects what waits: nothing more will come. */
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
