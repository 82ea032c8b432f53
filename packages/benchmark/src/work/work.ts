import { mayCreate, SESSION_REQUEST, type Session, type SessionRequest, type User } from '../gateway/gateway.ts';

/** The part of an object's storage that is used. A thread uses a Map instead. */
export interface KeyValues {
  get(key: string): number | undefined;
  put(key: string, value: number): void;
  delete(key: string): unknown;
}

/** The part of an object's SQLite database that is used. */
export interface Database {
  exec<Row extends Record<string, number>>(
    query: string,
    ...bindings: string[]
  ): { one(): Row; readonly rowsWritten: number };
}

/** A promise of a list that can be mapped on the side of the list. */
export interface RemoteList extends PromiseLike<number[]> {
  map<Result>(callback: (item: number) => PromiseLike<Result>): PromiseLike<Result[]>;
}

/**
 * The methods that every subject serves, as clients see them: those of a counter, and those that single families call.
 */
export interface Work {
  increment(by?: number): PromiseLike<number>;
  getValue(): PromiseLike<number>;
  reset(): PromiseLike<unknown>;
  /** Returns its argument. */
  echo<Value>(value: Value): PromiseLike<Value>;
  /** Returns a target with another target that has a text: a chain of three steps. */
  owner(): { profile(): { readonly name: PromiseLike<string> } };
  /** Accepts a text, or the result of another call that has not arrived yet. */
  greet(name: string | PromiseLike<string>): PromiseLike<string>;
  /** Returns the numbers from 1 to `count`. */
  numbers(count: number): RemoteList;
  square(number: number): PromiseLike<number>;
  /** Calls the client's function, and returns its result. */
  callBack(callback: (value: number) => number, value: number): PromiseLike<number>;
  /** Returns a stream of `chunks` chunks of `bytes` bytes, each filled with its own number. */
  download(chunks: number, bytes: number): PromiseLike<ReadableStream<Uint8Array>>;
  /** Reads a stream like that of `download` to its end, checks it, and returns the number of bytes. */
  upload(stream: ReadableStream<Uint8Array>): PromiseLike<number>;
  noop(): PromiseLike<unknown>;
  /** Adds a row, and returns the number of rows written: 1. */
  insert(text: string): PromiseLike<number>;
  /** Returns the number of rows. */
  rows(): PromiseLike<number>;
  /** Publishes an event to all subscribers, and returns its number. */
  publish(message: Message): PromiseLike<number>;
  /** Returns `pong`. The method has no state, and neither reads nor writes. */
  ping(): PromiseLike<string>;
  /** Returns the name of the token's user. */
  whoAmI(): PromiseLike<string>;
  createSession(request: SessionRequest): PromiseLike<Session>;
  /** Returns the number of stored sessions. */
  countSessions(): PromiseLike<number>;
}

/** An event as it is published: a chat message of about a hundred bytes. */
export interface Message {
  readonly number: number;
  readonly from: string;
  readonly text: string;
}

/** The events of an object, for any carrier. */
export interface EventSource<Event = Message, Number = number> {
  /** Stores an event, sends it to all subscribers, and returns its number. The first number is 1. */
  publish(event: Event): Number;
  /** Subscribes a caller to the events from now on. The argument and the result depend on the library. */
  subscribe(callback?: unknown): unknown;
}

/** Receives the events of one subscriber. */
export interface Receiver<Event = Message> {
  receive(sequence: number, event: Event): void;
  /** Called if nothing more can arrive, or if an event was left out. */
  fail(reason: unknown): void;
}

/** Returns the message that is published as event `number`. */
export function messageOf(number: number): Message {
  return { number, from: 'ada', text: `Message ${number}: what was said here goes to everybody who listens` };
}

/** Creates a stream of `count` chunks of `bytes` bytes. Each chunk is created on demand and filled with its number. */
export function chunkStream(count: number, bytes: number): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (next === count) controller.close();
      else controller.enqueue(new Uint8Array(bytes).fill(next++));
    },
  });
}

/**
 * Reads a stream of `chunkStream` to its end, and returns the number of bytes. Throws if a byte at either end of a
 * chunk is wrong.
 */
export async function readChunks(stream: ReadableStream<Uint8Array>): Promise<number> {
  const reader = stream.getReader();
  let bytes = 0;
  for (let chunk = 0; ; chunk++) {
    const { done, value } = await reader.read();
    if (done) return bytes;
    const expected = chunk & 0xff;
    if (value[0] !== expected || value[value.length - 1] !== expected) {
      throw new Error(
        `chunk ${chunk} has ${value[0]} and ${value[value.length - 1]} at its ends instead of ${expected}`,
      );
    }
    bytes += value.length;
  }
}

const KEY = 'value';

/** The methods that are also called over the platform's own RPC. */
export interface Counter {
  increment(by?: number): number;
  getValue(): number;
  reset(): void;
  echo(value: unknown): unknown;
}

/** The sessions of a gateway. */
export interface SessionStore {
  /** Creates a session and stores it. Throws if the request is invalid, or if this user may not create sessions. */
  create(request: SessionRequest, user: User): Session;
  count(): number;
}

/** Adds to the storage of an object's counter: events and a database, or a gateway's sessions and their user. */
export interface Served {
  readonly events?: EventSource<never, unknown>;
  readonly sql?: Database;
  readonly sessions?: SessionStore;
  readonly user?: User;
}

/**
 * Creates the targets of the families *pipeline*, *transports*, *events*, *latency* and *capacity* from a library's own
 * `RpcTarget`. Returns the class of targets on some storage. Every subject runs these same classes, and only the way in
 * which calls reach them differs.
 */
export function workOn<Target extends object>(
  RpcTarget: abstract new () => Target,
): new (
  kv: KeyValues,
  served?: Served,
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
    /** Declares methods for Lumenize RPC, which checks the declarations. Other libraries ignore it. */
    static readonly rpc = {
      getValue: { readOnly: true },
      createSession: { args: [SESSION_REQUEST], guard: ({ identity }: { identity: User }) => mayCreate(identity) },
    };
    readonly #kv: KeyValues;
    readonly #served: Served;
    #hasLines = false;

    constructor(kv: KeyValues, served: Served = {}) {
      super();
      this.#kv = kv;
      this.#served = served;
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

    /** Returns the database, with the table created on first use. */
    #lines(): Database {
      const sql = this.#served.sql!;
      if (!this.#hasLines) sql.exec('CREATE TABLE IF NOT EXISTS lines (id INTEGER PRIMARY KEY, text TEXT NOT NULL)');
      this.#hasLines = true;
      return sql;
    }

    publish(message: unknown): unknown {
      return this.#served.events!.publish(message as never);
    }

    subscribe(callback?: unknown): unknown {
      return this.#served.events!.subscribe(callback);
    }

    ping(): string {
      return 'pong';
    }

    whoAmI(): string {
      return this.#served.user!.name;
    }

    createSession(request: SessionRequest): Session {
      const session = this.#served.sessions!.create(request, this.#served.user!);
      this.publish(session);
      return session;
    }

    countSessions(): number {
      return this.#served.sessions!.count();
    }
  }

  return WorkTarget as never;
}

/** The storage of one object if there are no Durable Objects. */
export class MapStorage extends Map<string, number> implements KeyValues {
  put(key: string, value: number): void {
    this.set(key, value);
  }
}
