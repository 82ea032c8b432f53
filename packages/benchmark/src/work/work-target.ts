import type { EventSource, Message } from '../events/events.ts';
import { chunkStream, readChunks } from './chunks.ts';
import type { KeyValues } from './work.ts';

const KEY = 'value';

/**
 * Makes the targets of the families *pipeline*, *transports* and *events* from a library's own `RpcTarget`, and returns what makes
 * one on some storage, and with some events: every subject runs these very classes, and only the way calls reach them differs.
 */
export function workOn(RpcTarget: abstract new () => object): (kv: KeyValues, events?: EventSource) => object {
  class Profile extends RpcTarget {
    get name(): string {
      return 'Ada';
    }
  }

  class Owner extends RpcTarget {
    profile(): Profile {
      return new Profile();
    }
  }

  class WorkTarget extends RpcTarget {
    /** What Lumenize RPC is told of the counter's methods, as in the example; other libraries have no use for it. */
    static readonly rpc = { getValue: { readOnly: true } };
    readonly #kv: KeyValues;
    readonly #events: EventSource | undefined;

    constructor(kv: KeyValues, events: EventSource | undefined) {
      super();
      this.#kv = kv;
      this.#events = events;
    }

    increment(by = 1): number {
      const value = this.getValue() + by;
      this.#kv.put(KEY, value);
      return value;
    }

    getValue(): number {
      return this.#kv.get(KEY) ?? 0;
    }

    reset(): void {
      this.#kv.delete(KEY);
    }

    echo(value: unknown): unknown {
      return value;
    }

    owner(): Owner {
      return new Owner();
    }

    greet(name: string): string {
      return `Hello, ${name}`;
    }

    numbers(count: number): number[] {
      return Array.from({ length: count }, (_, i) => i + 1);
    }

    square(number: number): number {
      return number * number;
    }

    async callBack(callback: (value: number) => PromiseLike<number>, value: number): Promise<number> {
      return await callback(value);
    }

    download(chunks: number, bytes: number): ReadableStream<Uint8Array> {
      return chunkStream(chunks, bytes);
    }

    upload(stream: ReadableStream<Uint8Array>): Promise<number> {
      return readChunks(stream);
    }

    publish(message: Message): number {
      return this.#events!.publish(message);
    }

    subscribe(callback?: unknown): unknown {
      return this.#events!.subscribe(callback);
    }
  }

  return (kv, events) => new WorkTarget(kv, events);
}
