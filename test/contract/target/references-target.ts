import { RpcTarget } from '@lumenize/rpc/server';
import { CallsTarget } from './calls-target.ts';
import { note } from './journal.ts';

/** What a target of the client has for the server, in the cases about references. */
export interface RemoteCounter extends Disposable {
  increment(by?: number): Promise<number>;
  readonly value: Promise<number>;
}

/** Makes a reference that a method was given last longer than its call, where a library wants that to be said. */
export type Keep = <T>(reference: T) => T;

/** A target that results are made of. It notes its disposal under the key it was made with. */
export class Counter extends RpcTarget implements Disposable {
  readonly #key: string | undefined;
  #value: number;

  constructor(value = 0, key?: string) {
    super();
    this.#value = value;
    this.#key = key;
  }

  increment(by = 1): number {
    this.#value += by;
    return this.#value;
  }

  get value(): number {
    return this.#value;
  }

  [Symbol.dispose](): void {
    note(this.#key, 'disposed');
  }
}

/** The part of the contract's target that cases about references use. */
export class ReferencesTarget extends CallsTarget {
  protected readonly keep: Keep;
  readonly #counters: Counter[] = [];
  #kept: unknown;

  constructor(keep: Keep = (reference) => reference) {
    super();
    this.keep = keep;
  }

  counter(value = 0, key?: string): Counter {
    const counter = new Counter(value, key);
    this.#counters.push(counter);
    return counter;
  }

  async counterLater(value = 0, key?: string): Promise<Counter> {
    await Promise.resolve();
    return this.counter(value, key);
  }

  /** Always the same one. */
  sharedCounter(): Counter {
    return this.#counters[0] ?? this.counter();
  }

  self(): this {
    return this;
  }

  /** The place of a counter among those that were made; -1 where it is none of them. */
  indexOfCounter(counter: unknown): number {
    return this.#counters.indexOf(counter as Counter);
  }

  adder(by: number): (to: number) => number {
    return (to) => to + by;
  }

  failingFunction(): () => never {
    return () => {
      throw new RangeError('from a function');
    };
  }

  counters(count: number, key?: string): Counter[] {
    return Array.from({ length: count }, (_, index) => this.counter(index, key));
  }

  /** References in objects and lists. */
  referencesInData() {
    return { counter: this.counter(1), list: [this.counter(2), 'data'], add: this.adder(3), at: new Date(0) };
  }

  referencesInMap(): Map<string, Counter> {
    return new Map([
      ['one', this.counter(1)],
      ['two', this.counter(2)],
    ]);
  }

  oneCounterTwice(): Counter[] {
    const counter = this.counter();
    return [counter, counter];
  }

  throwsWithCounter(): never {
    throw Object.assign(new Error('see the counter'), { counter: this.counter(7) });
  }

  promised() {
    return { ready: Promise.resolve(5), later: new Promise((resolve) => setTimeout(resolve, 0, 6)) };
  }

  brokenPromise() {
    return { broken: Promise.reject(new RangeError('the promise broke')) };
  }

  promisedCounter() {
    return { later: Promise.resolve(this.counter(5)) };
  }

  async awaitInside(data: { value: Promise<unknown> }): Promise<unknown> {
    return data.value;
  }

  async incrementRemote(counter: RemoteCounter, times = 1): Promise<number> {
    let value = 0;
    for (let time = 0; time < times; time++) value = await counter.increment();
    return value;
  }

  async readRemote(counter: RemoteCounter): Promise<number> {
    return counter.value;
  }

  areSame(one: unknown, other: unknown): boolean {
    return one === other;
  }

  keepReference(reference: unknown): void {
    this.#kept = this.keep(reference);
  }

  isKept(reference: unknown): boolean {
    return this.#kept === reference;
  }

  kept(): unknown {
    return this.keep(this.#kept);
  }

  /** Returns what it was given. */
  giveBack(reference: unknown): unknown {
    return this.keep(reference);
  }

  giveBackInData(reference: unknown): unknown {
    return { deep: [this.keep(reference)] };
  }

  incrementKept(): Promise<number> {
    return (this.#kept as RemoteCounter).increment();
  }

  /** Lets go of what is kept. */
  dropKept(): void {
    (this.#kept as Disposable)[Symbol.dispose]();
    this.#kept = undefined;
  }
}
