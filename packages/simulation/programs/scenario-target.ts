import { callContext, type Position, RpcTarget, type Topic } from '@lumenize/rpc/server';
import type { Identity } from './identity.ts';
import { LATE_NUMBER, later, NUMBER, schema } from './scenario-schemas.ts';
import { type Counter, counter, Place, Thing } from './scenario-things.ts';

/** The object's state that the targets of a scenario share. */
export interface ScenarioHost {
  readonly storage: DurableObjectStorage;
  readonly topics: readonly Topic<unknown>[];
  /** The name of the object's life in memory. */
  readonly life: string;
  /** The places that were asked for, by name. */
  readonly places: Map<string, Place>;
  /** Closes the sockets of a connection with a code of the application's. */
  closeSockets(connectionId: string, code: number): void;
}

type Row = Record<string, SqlStorageValue>;

type Guard = (caller: unknown, ...args: never[]) => boolean;

class Base extends RpcTarget {
  opened(): string {
    return 'opened';
  }
  shut(): string {
    return 'shut';
  }
  static readonly rpc: object = {
    opened: { guard: () => false },
    shut: { guard: () => true },
  };
}

/** The version of tokens that may call everything. */
const ADMIN = 1;

/** The target of scenarios. Each method does one thing, and returns its outcome. */
export class ScenarioTarget extends Base {
  readonly #counter: Counter;
  readonly #host: ScenarioHost;
  readonly #version: number;
  readonly #same: Thing[] = [];
  #running = 0;

  constructor(host: ScenarioHost, version: number) {
    super();
    this.#counter = counter(host);
    this.#host = host;
    this.#version = version;
  }

  count(name: string): number {
    return this.#counter.count(name);
  }

  /** Returns the number of stored results. */
  stored(): number {
    const { sql } = this.#host.storage;
    const [table] = sql.exec("SELECT name FROM sqlite_master WHERE name = 'lumenize_rpc_results'").toArray();
    return (
      table &&
      sql.exec<{ n: number }>("SELECT count(*) AS n FROM lumenize_rpc_results WHERE call >= 0 AND client <> ''").one().n
    );
  }

  storedBytes(): number {
    const { sql } = this.#host.storage;
    return sql.exec<{ n: number }>('SELECT total(length(result)) AS n FROM lumenize_rpc_results').one().n;
  }

  /** Returns the name of the object's life in memory. */
  life(): string {
    return this.#host.life;
  }

  // Delivery.

  add(name: string): number {
    return this.#counter.add(name);
  }

  addOnce(name: string): number {
    return this.#counter.add(name);
  }

  addOnceAndThrow(name: string): never {
    this.#counter.add(name);
    throw new RangeError('as planned');
  }

  addAndClose(name: string, code: number): number {
    this.#host.closeSockets(callContext().caller!.connectionId, code);
    return this.#counter.add(name);
  }

  addOnceAndClose(name: string, code: number): number {
    return this.addAndClose(name, code);
  }

  /** Returns a box, so that reading its value makes the call a step. */
  addOnceInBox(name: string): { value: number } {
    return { value: this.#counter.add(name) };
  }

  addIdempotent(name: string): number {
    return this.#counter.add(name);
  }

  /** Resolves to the target, sooner each time. */
  get slowly(): Promise<this> {
    const ms = 2000 / this.#counter.add('getters') ** 3;
    return new Promise((resolve) => setTimeout(resolve, ms, this));
  }

  adder(): (name: string) => number {
    return (name) => this.#counter.add(name);
  }

  later(value: unknown, ms: number): Promise<unknown> {
    return new Promise((resolve) => setTimeout(resolve, ms, value));
  }

  addAll(...names: string[]): number {
    return names.reduce((sum, name) => sum + this.#counter.add(name), 0);
  }

  async tell(listener: ((text: string) => Promise<void>) | undefined, text: string): Promise<string> {
    if (listener === undefined) throw new Error('a function was not passed');
    await listener(text);
    return text;
  }

  /** Returns the answer of a function of the client. */
  async ask(listener: (() => Promise<unknown>) & Disposable): Promise<unknown> {
    using asked = listener;
    return await asked();
  }

  // Limits.

  async wait(ms: number): Promise<number> {
    const running = ++this.#running;
    await new Promise((resolve) => setTimeout(resolve, ms));
    this.#running--;
    return running;
  }

  until(name: string): Promise<void> {
    const { signal } = callContext();
    return new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => {
        this.#counter.add(name);
        reject(new Error('aborted'));
      });
    });
  }

  list(count: number): number[] {
    return Array.from({ length: count }, (_, place) => place);
  }

  echo(value: unknown): unknown {
    return value;
  }

  // References.

  make(): Thing {
    return new Thing(this.#counter);
  }

  makeLater(ms: number): Promise<Thing> {
    return new Promise((resolve) => setTimeout(() => resolve(this.make()), ms));
  }

  things(count: number): Thing[] {
    return Array.from({ length: count }, () => this.make());
  }

  same(): Thing {
    this.#same[0] ??= this.make();
    return this.#same[0];
  }

  self(): this {
    return this;
  }

  unsendable(): unknown {
    return [this.make(), Symbol('no value')];
  }

  place(name: string): Place {
    const { places } = this.#host;
    const place = places.get(name) ?? new Place(name, this.#counter);
    places.set(name, place);
    return place;
  }

  [Symbol.dispose](): void {
    this.#counter.add('targets disposed');
  }

  // Streams.

  async *numbers(count: number, failsAt = -1): AsyncGenerator<number, string> {
    this.#counter.add('generators');
    try {
      for (let place = 0; place < count; place++) {
        if (place === failsAt) throw new RangeError('as planned');
        yield place;
      }
      return 'all';
    } finally {
      this.#counter.add('generators', -1);
    }
  }

  async numbersLater(count: number, ms: number): Promise<AsyncGenerator<number>> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return this.numbers(count);
  }

  stream(count: number, bytes: number): ReadableStream {
    let place = 0;
    this.#counter.add('streams');
    const source = {
      type: bytes > 0 ? 'bytes' : undefined,
      pull: (controller: ReadableStreamDefaultController) => {
        if (place < count) return controller.enqueue(bytes > 0 ? new Uint8Array(bytes).fill(place++ & 255) : place++);
        this.#counter.add('streams', -1);
        controller.close();
      },
      cancel: () => void this.#counter.add('streams', -1),
    };
    return new ReadableStream(source as never, bytes > 0 ? undefined : { highWaterMark: 0 });
  }

  /** Returns a stream that takes chunks slowly, and fails at chunk `failsAt`. */
  sink(name: string, pauseMs: number, failsAt: number): WritableStream<number> {
    let next = 0;
    return new WritableStream({
      write: async (chunk) => {
        if (chunk !== next++) this.#counter.add(`${name} out of order`);
        if (next === failsAt) throw new RangeError('as planned');
        if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
        this.#counter.add(name);
      },
      close: () => void this.#counter.add(`${name} closed`),
      abort: () => void this.#counter.add(`${name} aborted`),
    });
  }

  async sum(items: AsyncIterable<number>, most: number, pauseMs: number): Promise<number> {
    let sum = 0;
    let seen = 0;
    for await (const item of items) {
      if (item !== seen++) throw new Error(`${item} came as number ${seen - 1}`);
      sum += item;
      if (seen === most) break;
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    return sum;
  }

  /** Adds up a stream that has ended by the time it is read. */
  async sumLater(stream: ReadableStream<number>, ms: number): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    let sum = 0;
    for await (const item of stream) sum += item;
    return sum;
  }

  async write(to: WritableStream<number>, count: number): Promise<string> {
    const writer = to.getWriter();
    try {
      for (let place = 0; place < count; place++) await writer.write(place);
      await writer.close();
      return 'closed';
    } catch (error) {
      return (error as Error).message;
    }
  }

  settled(value: unknown): unknown {
    return value instanceof Promise ? 'a promise' : value;
  }

  promises(isBroken: boolean): { kept: Promise<number> } {
    return {
      kept: later(() => {
        if (isBroken) throw new RangeError('as planned');
        return 1;
      }),
    };
  }

  withSignal(signal: AbortSignal, ms: number): Promise<boolean> {
    return new Promise((resolve) => setTimeout(() => resolve(signal.aborted), ms));
  }

  // Topics.

  publish(topic: number, count: number): number {
    let last = 0;
    for (let place = 0; place < count; place++) {
      const { sequence } = this.#host.topics[topic];
      last = this.#host.topics[topic].publish(sequence + 1);
    }
    return last;
  }

  publishAndThrow(topic: number): never {
    this.#host.topics[topic].publish('never');
    throw new RangeError('as planned');
  }

  subscribe(topic: number, since?: number): unknown {
    const [epoch] = this.#host.topics[topic].position;
    return this.#host.topics[topic].subscribe({
      since: since ? [epoch, since] : (since as 0),
    });
  }

  /** Subscribes behind a position from an earlier life of the topic, or of this one. */
  subscribeAt(topic: number, since: Position): unknown {
    return this.#host.topics[topic].subscribe({ since });
  }

  position(topic: number): Position {
    return this.#host.topics[topic].position;
  }

  deleteTopic(topic: number): void {
    this.#host.topics[topic].delete();
  }

  /** Returns the rows of all topics, for `restoreTopics`. */
  topicRows(): [events: Row[], numbers: Row[]] {
    const { sql } = this.#host.storage;
    return [
      sql.exec<Row>('SELECT * FROM lumenize_rpc_events').toArray(),
      sql.exec<Row>('SELECT * FROM lumenize_rpc_numbers').toArray(),
    ];
  }

  /** Puts the rows of an earlier moment in the place of all others, as a restore of the storage does. */
  restoreTopics([events, numbers]: [events: Row[], numbers: Row[]]): void {
    const { sql } = this.#host.storage;
    sql.exec('DELETE FROM lumenize_rpc_events');
    sql.exec('DELETE FROM lumenize_rpc_numbers');
    const event =
      'INSERT INTO lumenize_rpc_events (topic, last, first, events, epoch, before) VALUES (?, ?, ?, ?, ?, ?)';
    const number = 'INSERT INTO lumenize_rpc_numbers (topic, given, epoch) VALUES (?, ?, ?)';
    for (const row of events) sql.exec(event, row.topic, row.last, row.first, row.events, row.epoch, row.before);
    for (const row of numbers) sql.exec(number, row.topic, row.given, row.epoch);
  }

  subscribeLater(topic: number, ms: number): Promise<unknown> {
    return new Promise((resolve) => setTimeout(() => resolve(this.subscribe(topic)), ms));
  }

  subscribers(topic: number): number {
    return this.#host.topics[topic].subscribers;
  }

  // Access.

  whoami(): [atTarget: number, atCall: number] {
    return [this.#version, (callContext().caller!.identity as Identity).version];
  }

  /** Counts as whose call it has run, and returns that. */
  whoOnce(name: string): number {
    const [, version] = this.whoami();
    this.#counter.add(`${name} as ${version}`);
    return version;
  }

  override opened(): string {
    return 'opened';
  }

  override shut(): string {
    return 'shut';
  }

  /** Its guard returns the argument. */
  answered(_answer: unknown): number {
    return this.#counter.add('answered');
  }

  answeredLater(_answer: unknown): number {
    return this.#counter.add('answered');
  }

  /** Its schema takes time, and then its guard. */
  checkedLater(_value: number, _answer: unknown): number {
    return this.#counter.add('answered');
  }

  get secret(): string {
    return 'secret';
  }

  ofAdmins(): number {
    return this.#version;
  }

  numbersPlusOne(...values: number[]): number[] {
    return values;
  }

  lateNumbersPlusOne(...values: number[]): number[] {
    return values;
  }

  guardedNumber(value: number): number {
    return value;
  }

  data(): object {
    return { own: 1 };
  }

  static override readonly rpc: object = {
    count: { readOnly: true },
    stored: { readOnly: true },
    life: { readOnly: true },
    whoami: { readOnly: true },
    addOnce: { exactlyOnce: true },
    whoOnce: { exactlyOnce: true },
    addOnceAndThrow: { exactlyOnce: true },
    addOnceInBox: { exactlyOnce: true },
    addOnceAndClose: { exactlyOnce: true },
    publishAndThrow: { exactlyOnce: true },
    addIdempotent: { idempotent: true },
    later: { idempotent: true },
    adder: { idempotent: true },
    tell: { idempotent: true },
    subscribe: { idempotent: true },
    list: { readOnly: true },
    place: { restorable: true },
    opened: { guard: () => true },
    shut: { guard: () => false },
    answered: { guard: ((_caller: unknown, answer: unknown) => answer) as Guard },
    answeredLater: { guard: (_caller: unknown, answer: unknown) => later(() => answer) },
    checkedLater: {
      args: [LATE_NUMBER, schema((value) => value)],
      guard: (_caller: unknown, _value: unknown, answer: unknown) => later(() => answer),
    },
    secret: { guard: ({ identity }: { identity: Identity }) => identity.version === ADMIN },
    ofAdmins: { guard: ({ identity }: { identity: Identity }) => identity.version === ADMIN },
    numbersPlusOne: { args: [NUMBER, NUMBER, NUMBER] },
    lateNumbersPlusOne: { args: [NUMBER, LATE_NUMBER, NUMBER] },
    guardedNumber: { args: [NUMBER], guard: (_caller: unknown, value: number) => value > 10 },
  };
}
