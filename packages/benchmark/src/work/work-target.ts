import { chunkStream, type Database, type EventSource, type KeyValues, type Message, readChunks } from './work.ts';

const KEY = 'value';

/** The methods that the platform's own RPC calls too. */
export interface Counter {
  increment(by?: number): number;
  getValue(): number;
  reset(): void;
  echo(value: unknown): unknown;
}

/**
 * Makes the targets of the families *pipeline*, *transports*, *events* and *capacity* from a library's own `RpcTarget`, and returns
 * the class of those that are on some storage, with some events: every subject runs these very classes, and only the way calls reach
 * them differs.
 */
export function workOn<Target extends object>(
  RpcTarget: abstract new () => Target,
): new (
  kv: KeyValues,
  events?: EventSource,
  sql?: Database,
) => Target & Counter {
  const Base: abstract new () => object = RpcTarget;

  class Profile extends Base {
    get name(): string {
      return 'Ada';
    }
  }

  class Owner extends Base {
    profile(): Profile {
      return new Profile();
    }
  }

  class WorkTarget extends Base {
    /** What Lumenize RPC is told of the counter's methods, as in the example; other libraries have no use for it. */
    static readonly rpc = { getValue: { readOnly: true } };
    readonly #kv: KeyValues;
    readonly #events: EventSource | undefined;
    readonly #sql: Database | undefined;
    #hasLines = false;

    constructor(kv: KeyValues, events?: EventSource, sql?: Database) {
      super();
      this.#kv = kv;
      this.#events = events;
      this.#sql = sql;
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

    noop(): void {}

    insert(text: string): number {
      return this.#lines().exec('INSERT INTO lines (text) VALUES (?)', text).rowsWritten;
    }

    rows(): number {
      return this.#lines().exec<{ rows: number }>('SELECT count(*) AS rows FROM lines').one().rows;
    }

    /** The database, with the table that is made for whoever needs it. */
    #lines(): Database {
      if (!this.#hasLines)
        this.#sql!.exec('CREATE TABLE IF NOT EXISTS lines (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
      this.#hasLines = true;
      return this.#sql!;
    }

    publish(message: Message): number {
      return this.#events!.publish(message);
    }

    subscribe(callback?: unknown): unknown {
      return this.#events!.subscribe(callback);
    }
  }

  return WorkTarget as never;
}

/** The storage of one object where there are no Durable Objects. */
export class MapStorage extends Map<string, number> implements KeyValues {
  put(key: string, value: number): void {
    this.set(key, value);
  }
}
