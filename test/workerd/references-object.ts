import { RpcObject, RpcTarget, storeReference } from '@lumenize/rpc/server';

type Listener = (text: string) => Promise<string>;

/** An object whose references are tried across its lives. */
export class ReferencesObject extends RpcObject<{ COUNTER: DurableObjectNamespace }> {
  override target(): Lobby {
    return new Lobby(this.ctx.storage, this.env, {
      find: (token) => this.findReference<Listener>(token),
      release: (token) => this.releaseReference(token),
    });
  }
}

interface Stored {
  find(token: string): Listener | undefined;
  release(token: string): void;
}

export class Lobby extends RpcTarget {
  static readonly rpc = { room: { restorable: true }, laterRoom: { restorable: true }, hall: { restorable: true } };
  readonly #storage: DurableObjectStorage;
  readonly #env: { COUNTER: DurableObjectNamespace };
  readonly #stored: Stored;
  #hall: Hall | undefined;

  constructor(storage: DurableObjectStorage, env: { COUNTER: DurableObjectNamespace }, stored: Stored) {
    super();
    this.#storage = storage;
    this.#env = env;
    this.#stored = stored;
  }

  room(name: string): Room {
    this.#storage.kv.put('derived', this.derived() + 1);
    return new Room(name);
  }

  async laterRoom(name: string): Promise<Room> {
    await Promise.resolve();
    return this.room(name);
  }

  /** The same one each time. */
  hall(): Hall {
    this.#hall ??= new Hall();
    return this.#hall;
  }

  plainRoom(name: string): Room {
    return new Room(name);
  }

  /** How often a room was made. */
  derived(): number {
    return this.#storage.kv.get<number>('derived') ?? 0;
  }

  listen(listener: Listener): void {
    this.#storage.kv.put('listener', storeReference(listener));
  }

  async tell(text: string): Promise<string> {
    const listener = this.#stored.find(this.#storage.kv.get<string>('listener')!);
    return listener === undefined ? 'nobody listens' : listener(text);
  }

  forget(): void {
    this.#stored.release(this.#storage.kv.get<string>('listener')!);
  }

  /** A stub of the platform's own. */
  counter(name: string): unknown {
    return this.#env.COUNTER.getByName(name);
  }
}

export class Room extends RpcTarget {
  static readonly rpc = { seat: { restorable: true } };
  readonly #name: string;

  constructor(name: string) {
    super();
    this.#name = name;
  }

  get name(): string {
    return this.#name;
  }

  seat(number: number): Seat {
    return new Seat(`${this.#name} ${number}`);
  }
}

class Seat extends RpcTarget {
  readonly #label: string;

  constructor(label: string) {
    super();
    this.#label = label;
  }

  get label(): string {
    return this.#label;
  }
}

/** A target that says whether it was disposed. */
export class Hall extends RpcTarget {
  #isOpen = true;

  isOpen(): boolean {
    return this.#isOpen;
  }

  [Symbol.dispose](): void {
    this.#isOpen = false;
  }
}
