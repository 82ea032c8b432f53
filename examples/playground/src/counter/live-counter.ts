import {
  RpcError,
  RpcObject,
  RpcTarget,
  type SubscribeOptions,
  type Subscription,
  type Topic,
} from '@lumenize/rpc/server';
import { CounterImpl } from '../../../counter/src/counter-impl.ts';

/** A counter whose value all who look at it follow. */
export class LiveCounter extends RpcObject {
  readonly #counter = new CounterImpl(this.ctx.storage);
  readonly #values = this.topic<number>('values', { retain: 1 });

  override target(): LiveCounterApi {
    return new LiveCounterApi(this.#counter, this.#values);
  }
}

/** What a client of the counter may call. The same increment is there twice, and differs in what is promised of it. */
export class LiveCounterApi extends RpcTarget {
  static readonly rpc = {
    incrementOnce: { exactlyOnce: true },
    getValue: { readOnly: true },
    follow: { idempotent: true },
  };
  readonly #counter: CounterImpl;
  readonly #values: Topic<number>;

  constructor(counter: CounterImpl, values: Topic<number>) {
    super();
    this.#counter = counter;
    this.#values = values;
  }

  /** Adds `by` and returns the sum. Nothing is said of its delivery: where its answer is lost, nobody repeats it. */
  increment(by = 1): number {
    if (!Number.isSafeInteger(by)) throw new RpcError('INVALID_ARGUMENTS', 'by has to be a whole number');
    const value = this.#counter.increment(by);
    this.#values.publish(value);
    return value;
  }

  /** Adds `by` and returns the sum, once, also where its answer is lost. */
  incrementOnce(by = 1): number {
    return this.increment(by);
  }

  /** Returns the value, 0 before the first increment. */
  getValue(): number {
    return this.#counter.getValue();
  }

  /** Gives each value that the counter takes from now on. */
  follow(options?: SubscribeOptions): Subscription<number> {
    return this.#values.subscribe(options);
  }
}
