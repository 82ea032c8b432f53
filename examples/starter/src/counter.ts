import { type Methods, RpcError, RpcObject, type RpcServerOptions, RpcTarget } from '@lumenize/rpc/server';

/** What clients may call: the methods and getters of this class, and nothing else. */
export class CounterApi extends RpcTarget {
  /** What may be made again by itself after a lost connection, and what is done once however often it is sent. */
  static readonly rpc = {
    increment: { exactlyOnce: true },
    getValue: { readOnly: true },
    watch: { idempotent: true },
  } satisfies Methods<CounterApi>;
  readonly #counter: Counter;

  constructor(counter: Counter) {
    super();
    this.#counter = counter;
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

/** The object: it holds the state, and decides who gets to talk to what. */
export class Counter extends RpcObject {
  readonly values = this.topic<number>('values');

  target() {
    return new CounterApi(this);
  }

  /** Lets `npx lumenize-rpc repl` complete the names of methods, and logs what they throw. */
  override rpcOptions(): RpcServerOptions {
    return { discoverable: true, onError: (error, method) => console.error(`${method}() threw`, error) };
  }

  get value(): number {
    return this.ctx.storage.kv.get<number>('value') ?? 0;
  }

  add(by: number): number {
    const value = this.value + by;
    this.ctx.storage.kv.put('value', value);
    this.values.publish(value);
    return value;
  }
}
