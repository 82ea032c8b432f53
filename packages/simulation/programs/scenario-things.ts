import { RpcTarget } from '@lumenize/rpc/server';

/** Counts by name, in storage, so that a transaction that is rolled back does not count. */
export function counter({ storage }: { readonly storage: DurableObjectStorage }) {
  const count = (name: string): number => storage.kv.get<number>(name) ?? 0;
  const add = (name: string, by = 1): number => {
    const value = count(name) + by;
    storage.kv.put(name, value);
    return value;
  };
  return { count, add };
}

export type Counter = ReturnType<typeof counter>;

/** A target that is counted when it is made and when it is disposed of. */
export class Thing extends RpcTarget {
  readonly #counter: Counter;
  readonly #number: number;
  #isGone = false;

  constructor(counter: Counter) {
    super();
    this.#counter = counter;
    this.#number = counter.add('made');
  }

  number(): number {
    if (this.#isGone) throw new Error('a thing is called that was disposed of');
    return this.#number;
  }

  self(): this {
    return this;
  }

  child(): Thing {
    return new Thing(this.#counter);
  }

  [Symbol.dispose](): void {
    this.#isGone = true;
    this.#counter.add('disposed');
  }
}

/** A target that can be restored, and leads to others that can. */
export class Place extends RpcTarget {
  readonly #name: string;
  readonly #counter: Counter;

  constructor(name: string, counter: Counter) {
    super();
    this.#name = name;
    this.#counter = counter;
  }

  within(name: string): Place {
    this.#counter.add('within');
    return new Place(`${this.#name}/${name}`, this.#counter);
  }

  name(): string {
    return this.#name;
  }

  addOnce(name: string): number {
    return this.#counter.add(name);
  }

  static readonly rpc = { within: { restorable: true }, name: { readOnly: true }, addOnce: { exactlyOnce: true } };
}
