import { RpcTarget } from '@lumenize/rpc/server';
import { CounterImpl } from './counter-impl.ts';

/** What a client of the counter may call: a remote face of `CounterImpl` and nothing more. */
export class CounterApi extends RpcTarget {
  /** Where the connection is lost before the answer comes, it is asked again; an increment would count twice. */
  static readonly rpc = { getValue: { readOnly: true } };
  readonly #counter: CounterImpl;

  constructor(storage: DurableObjectStorage) {
    super();
    this.#counter = new CounterImpl(storage);
  }

  /** Adds `by` to the stored value and returns the sum. */
  increment(by = 1): number {
    return this.#counter.increment(by);
  }

  /** Returns the stored value, 0 before the first increment. */
  getValue(): number {
    return this.#counter.getValue();
  }

  /** Sets the stored value back to 0. */
  reset(): void {
    this.#counter.reset();
  }
}
