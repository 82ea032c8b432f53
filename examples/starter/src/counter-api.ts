import { describeTarget } from '@lumenize/inspect';
import { type Methods, RpcError, RpcTarget, type Topic } from '@lumenize/rpc/server';

/** What the object does for what clients call. The page has the types of this file, but not those of the Workers runtime. */
export interface CounterState {
  readonly value: number;
  readonly values: Topic<number>;
  add(by: number): number;
}

/** What clients may call: the methods and getters of this class, and nothing else. */
export class CounterApi extends RpcTarget {
  /** What may be made again by itself after a lost connection, and what is done once however often it is sent. */
  static readonly rpc = {
    increment: { exactlyOnce: true },
    getValue: { readOnly: true },
    watch: { idempotent: true },
  } satisfies Methods<CounterApi>;
  readonly #counter: CounterState;

  constructor(counter: CounterState) {
    super();
    this.#counter = counter;
  }

  /** Lets `npx lumenize-rpc repl` complete the names of methods. */
  get rpcDescription() {
    return describeTarget(this);
  }

  increment(by = 1): number {
    // A client is not bound to types: it may send anything.
    if (!Number.isSafeInteger(by)) throw new RpcError('INVALID_ARGUMENTS', 'increment() takes a whole number');
    return this.#counter.add(by);
  }

  getValue(): number {
    return this.#counter.value;
  }

  /** Each new value, for as long as the caller listens. */
  watch() {
    return this.#counter.values.subscribe();
  }
}
