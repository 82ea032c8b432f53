import { callContext, RpcError, RpcObject, RpcTarget } from '@lumenize/rpc/server';
import type { CounterApi } from './api.ts';

/** Something of each kind that a client can call. */
class CounterTarget extends RpcTarget implements CounterApi {
  readonly #counter: Counter;

  constructor(counter: Counter) {
    super();
    this.#counter = counter;
  }

  increment(by = 1): number {
    const { storage } = this.#counter;
    const value = (storage.kv.get<number>('value') ?? 0) + by;
    storage.kv.put('value', value);
    this.#counter.changes.publish(value);
    return value;
  }

  owner() {
    return { name: 'Ada', since: new Date(0), badges: new Map([['first', 1n]]) };
  }

  people() {
    return [{ name: 'Ada' }, { name: 'Bob' }];
  }

  each(values: number[], callback: (value: number) => number | Promise<number>): Promise<number[]> {
    return Promise.all(values.map(async (value) => callback(value)));
  }

  async *countDown(from: number): AsyncGenerator<number> {
    for (let value = from; value > 0; value--) yield value;
  }

  changes() {
    return this.#counter.changes.subscribe({ since: 0 });
  }

  caller(): string {
    return String(callContext().caller?.identity);
  }

  refuse(): never {
    throw new RpcError('DENIED', 'this is refused');
  }
}

/** The object behind it. */
export class Counter extends RpcObject<object> {
  readonly changes = this.topic<number>('changes', { retain: 10 });
  readonly storage = this.ctx.storage;

  override target(): CounterTarget {
    return new CounterTarget(this);
  }
}
