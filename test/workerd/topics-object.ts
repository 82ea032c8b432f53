import { DurableObject } from 'cloudflare:workers';
import {
  type Caller,
  createRpcServer,
  RpcError,
  RpcObject,
  type RpcServer,
  type RpcServerOptions,
  RpcTarget,
  type Subscription,
  type Topic,
  type TopicOptions,
} from '@lumenize/rpc/server';

export interface Price {
  symbol: string;
  cents: number;
}

/** Where a test subscribes from: a position, or the number of an event in the present epoch. */
export interface Since {
  readonly since?: unknown;
}

function subscribeTo(topic: Topic<unknown>, options: Since = {}) {
  const { since } = options;
  const isNumber = Number.isSafeInteger(since) && (since as number) > 0;
  const position = isNumber ? [topic.position[0], since] : since;
  return topic.subscribe({ ...options, since: position as 0 });
}

/** Publishes whatever it is told to. */
export class TickerObject extends RpcObject<unknown, unknown> {
  readonly prices = this.topic<unknown>('prices', { retain: 1000 });
  readonly latest = this.topic<unknown>('latest', { retain: 0 });
  readonly batched = this.topic<unknown>('batched', { retain: 1000, persist: { everyEvents: 10, everyMs: 1000 } });
  readonly fleeting = this.topic<unknown>('fleeting', { retain: 0, persist: { everyEvents: 100, everyMs: 200 } });
  /** Who came and went. */
  readonly seen: string[] = [];
  readonly gate = Promise.withResolvers<void>();
  #encodings = 0;

  override target(caller: Caller): TickerApi {
    return new TickerApi(this, caller);
  }

  override rpcOptions(): RpcServerOptions {
    // Two at once, and another one each second, of all callers together.
    const identity = { operationsPerSecond: 1, burst: 2, by: () => 'everybody' };
    return this.ctx.id.name === 'limited' ? { rateLimits: { identity } } : {};
  }

  protected override onConnect(): void {
    this.seen.push('came');
    this.ctx.storage.kv.put('came', (this.ctx.storage.kv.get<number>('came') ?? 0) + 1);
  }

  protected override onDisconnect(): void {
    this.seen.push('left');
    this.ctx.storage.kv.put('left', (this.ctx.storage.kv.get<number>('left') ?? 0) + 1);
  }

  /** An event that counts how often it is encoded. */
  counted(): object {
    const count = () => ++this.#encodings;
    return {
      get encodings() {
        return count();
      },
    };
  }

  named(name: string): Topic<unknown> {
    return this.topic(name);
  }

  declared(name: string, options: TopicOptions): Topic<unknown> {
    return this.topic(name, options);
  }

  endAll(): void {
    for (const each of this.connections()) each.close();
  }

  present(): string[][] {
    return [...this.connections()].map(({ topics }) => topics.map(({ name }) => name));
  }

  endSubscriptions(): void {
    for (const { topics } of this.connections()) for (const topic of topics) topic.end();
  }

  get storage(): DurableObjectStorage {
    return this.ctx.storage;
  }
}

export class TickerApi extends RpcTarget {
  readonly #object: TickerObject;
  readonly #caller: Caller;

  constructor(object: TickerObject, caller: Caller) {
    super();
    this.#object = object;
    this.#caller = caller;
  }

  subscribe(options?: Since) {
    const { kv } = this.#object.storage;
    if (kv.get('closed')) throw new RangeError('closed');
    if (kv.delete('busy')) throw new RpcError('OVERLOADED', 'not now');
    return subscribeTo(this.#object.prices, options);
  }

  /** Refuses from then on whoever subscribes to prices. */
  close(): void {
    this.#object.storage.kv.put('closed', true);
  }

  /** Refuses who subscribes next, but not for good. */
  beBusy(): void {
    this.#object.storage.kv.put('busy', true);
  }

  async subscribeLater(options?: Since) {
    await Promise.resolve();
    return subscribeTo(this.#object.prices, options);
  }

  /** Subscribes when `openGate` lets it. */
  async subscribeAtGate(options?: Since) {
    await this.#object.gate.promise;
    return subscribeTo(this.#object.prices, options);
  }

  openGate(): void {
    this.#object.gate.resolve();
  }

  /** A subscription beside what has to be waited for. */
  subscribeBeside(isRefused = false) {
    const beside = isRefused ? Symbol('refused') : Promise.resolve('state');
    return { prices: subscribeTo(this.#object.prices), beside } as unknown as { prices: Subscription<unknown> };
  }

  topicsOfAll(): string[][] {
    return this.#object.present();
  }

  endSubscriptions(): void {
    this.#object.endSubscriptions();
  }

  /** Publishes, and returns a long text. */
  publishAndReturn(length: number): string {
    this.#object.prices.publish('before');
    return 'x'.repeat(length);
  }

  subscribeTo(name: string, options?: Since) {
    return subscribeTo(this.#object.named(name), options);
  }

  subscribers(name = 'prices'): number {
    return this.#object.named(name).subscribers;
  }

  publish(event: unknown): number {
    return this.#object.prices.publish(event);
  }

  publishMany(from: number, to: number): number {
    for (let event = from; event <= to; event++) this.#object.prices.publish(event);
    return this.#object.prices.sequence;
  }

  publishTo(name: string, ...events: unknown[]): number[] {
    return events.map((event) => this.#object.named(name).publish(event));
  }

  publishCounted(): number {
    return this.#object.prices.publish(this.#object.counted());
  }

  publishBytes(size: number, count: number): void {
    for (let event = 0; event < count; event++) this.#object.prices.publish(new Uint8Array(size));
  }

  publishWhatIsNone(): number {
    return this.#object.prices.publish(() => 'a function');
  }

  /** Publishes in a transaction that fails, and then, if asked to, another event. */
  rollBack(event: unknown, next?: unknown): number | undefined {
    try {
      this.#object.storage.transactionSync(() => {
        this.#object.prices.publish(event);
        throw new Error('rolled back');
      });
    } catch {
      // That is what it is for.
    }
    return next === undefined ? undefined : this.#object.prices.publish(next);
  }

  sequence(): number {
    return this.#object.prices.sequence;
  }

  connectionId(): string {
    return this.#caller.connectionId;
  }

  present(): string[][] {
    return this.#object.present();
  }

  came(): [came: number, left: number] {
    const { kv } = this.#object.storage;
    return [kv.get<number>('came') ?? 0, kv.get<number>('left') ?? 0];
  }

  self(): TickerApi {
    return this;
  }

  other(): TickerApi {
    return this;
  }

  /** Yields a subscription for each of the options. */
  async *subscriptions(...options: Since[]) {
    for (const each of options) yield subscribeTo(this.#object.prices, each);
  }

  /** Yields a subscription from the first event on, and then one from an event on that is published meanwhile. */
  subscriptionsAround(event: unknown) {
    const { prices } = this.#object;
    const since = [() => 0, () => prices.publish(event) - 1];
    const next = async () => {
      const found = since.shift();
      return { done: found === undefined, value: found && subscribeTo(prices, { since: found() }) };
    };
    // A generator would take longer for each.
    return new (class {
      [Symbol.asyncIterator] = () => ({ next });
    })();
  }

  /** Returns the name of a new topic. */
  newTopic(): string {
    const { kv } = this.#object.storage;
    kv.put('topics', this.newTopics() + 1);
    return `topic ${this.newTopics()}`;
  }

  /** How many names of topics were given. */
  newTopics(): number {
    return this.#object.storage.kv.get<number>('topics') ?? 0;
  }

  static readonly rpc = { self: { restorable: true }, newTopic: { exactlyOnce: true } };

  /** Subscribes and publishes before the result is sent. */
  subscribeAndPublish(event: unknown, name = 'prices') {
    const topic = this.#object.named(name);
    const subscription = topic.subscribe();
    topic.publish(event);
    return subscription;
  }
}

/** The same with hibernation off. */
export class TickerObjectAccept extends TickerObject {
  override rpcOptions(): RpcServerOptions {
    return { hibernate: false };
  }
}

/** A class that extends something else. */
export class ComposedTickerObject extends DurableObject {
  readonly #seen: string[] = [];
  readonly #rpc: RpcServer = createRpcServer(this.ctx, {
    target: () => new ComposedTickerApi(this.#rpc, this.#seen),
    onConnect: () => void this.#seen.push('came'),
    onDisconnect: () => {
      throw new Error('a defect of the class');
    },
    onError: (error, name) => void this.#seen.push(`${name}: ${(error as Error).message}`),
  });

  override fetch(request: Request): Response | Promise<Response> {
    return this.#rpc.fetch(request) ?? new Response(null, { status: 404 });
  }

  override webSocketMessage(socket: WebSocket, message: string | ArrayBuffer): void {
    this.#rpc.webSocketMessage(socket, message);
  }

  override webSocketClose(socket: WebSocket, code: number): void {
    this.#rpc.webSocketClose(socket, code);
  }
}

export class ComposedTickerApi extends RpcTarget {
  readonly #rpc: RpcServer;
  readonly #seen: string[];

  constructor(rpc: RpcServer, seen: string[]) {
    super();
    this.#rpc = rpc;
    this.#seen = seen;
  }

  subscribe() {
    return this.#rpc.topic<string>('news').subscribe({ since: 0 });
  }

  publish(event: string): number {
    return this.#rpc.topic<string>('news').publish(event);
  }

  seen(): string[] {
    return this.#seen;
  }

  connections(): number {
    return [...this.#rpc.connections()].length;
  }
}
