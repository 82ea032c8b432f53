import { callContext, RpcTarget, type SessionCounts, type Subscription, type Topic } from '@lumenize/rpc/server';

/** Has something of everything that a frame can ask for, and nothing that ends by itself later. */
export class VictimTarget extends RpcTarget {
  static readonly rpc = { once: { exactlyOnce: true }, add: { idempotent: true } };
  readonly #counts: { received: number; value: number };
  readonly #news: Topic<unknown>;
  /** An own property: not remote. */
  readonly secret = 'of the server';

  constructor(counts: { received: number; value: number }, news: Topic<unknown>) {
    super();
    this.#counts = counts;
    this.#news = news;
  }

  /** Messages that have reached the object. */
  get received(): number {
    return this.#counts.received;
  }

  get value(): number {
    return this.#counts.value;
  }

  increment(by = 1): number {
    this.#counts.value += by;
    return this.#counts.value;
  }

  add(a: number, b: number): number {
    return a + b;
  }

  /** Stores its result, with the id of the call. */
  once(n: number): number {
    // Not whatever came: a list would be made a text of.
    return Number.isInteger(n) ? n + 1 : 0;
  }

  echo(value: unknown): unknown {
    return value;
  }

  /** What the object that arrives is like, as far as a wire cannot tell. */
  look(value: object): unknown {
    return {
      keys: Reflect.ownKeys(value).map(String),
      isPlain: Object.getPrototypeOf(value) === Object.prototype,
      polluted: ({} as { polluted?: unknown }).polluted,
    };
  }

  async echoLater(value: unknown): Promise<unknown> {
    await undefined;
    return value;
  }

  child(): VictimTarget {
    return new VictimTarget(this.#counts, this.#news);
  }

  self(): this {
    return this;
  }

  adder(n: number): (by: number) => number {
    return (by) => n + by;
  }

  list(): unknown[] {
    return [{ name: 'a', size: 1 }, { name: 'b', size: 2 }, [3], 'four'];
  }

  profile(): unknown {
    return { owner: { name: 'Ada' }, tags: new Set(['x']), map: new Map([['k', 1]]) };
  }

  fails(): never {
    throw new RangeError('as it should');
  }

  /** Returns what no codec carries. */
  refuses(): unknown {
    return { inside: [Symbol('no value')] };
  }

  never(..._args: unknown[]): Promise<void> {
    return new Promise(() => {});
  }

  /** Returns much for little. */
  large(): Uint8Array {
    return new Uint8Array(100_000);
  }

  /** Sends as much as it may. */
  async *flood(): AsyncGenerator<Uint8Array> {
    for (;;) yield new Uint8Array(65_536);
  }

  /** Has nothing to say, and no end. */
  async *silent(): AsyncGenerator<void> {
    yield this.never();
  }

  async ask(question: (n: number) => Promise<unknown>): Promise<unknown> {
    return question(1);
  }

  async *count(to: number): AsyncGenerator<number> {
    for (let n = 0; n < Math.min(to, 100); n++) yield n;
  }

  bytes(): ReadableStream | null {
    return new Response(new Uint8Array(1000)).body;
  }

  async drain(items: AsyncIterable<unknown>): Promise<number> {
    let count = 0;
    for await (const _item of items) count++;
    return count;
  }

  async write(stream: WritableStream): Promise<void> {
    const writer = stream.getWriter();
    await writer.write('chunk');
    await writer.close();
  }

  announce(event: unknown): number {
    return this.#news.publish(event);
  }

  follow(since?: number): Subscription<unknown> {
    const [epoch] = this.#news.position;
    return this.#news.subscribe({ since: since ? [epoch, since] : (since as 0) });
  }

  async wait(signal: AbortSignal): Promise<void> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve));
  }

  counts(): SessionCounts {
    return callContext().counts;
  }
}
