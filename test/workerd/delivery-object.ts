import { type Caller, RpcObject, type RpcServerOptions, RpcTarget } from '@lumenize/rpc/server';

/** An object whose methods are delivered in every way there is. */
export class DeliveryObject extends RpcObject {
  override rpcOptions(): RpcServerOptions {
    return this.ctx.id.name === 'small messages' ? { limits: { maxMessageBytes: 100_000 } } : {};
  }

  override target(): DeliveryTarget {
    return new DeliveryTarget(this.ctx, () => {
      for (const connection of this.connections()) connection.close();
    });
  }
}

/** The same with hibernation off. */
export class DeliveryObjectAccept extends DeliveryObject {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}

/** Counts in storage how often each method has had its effect. */
export class DeliveryTarget extends RpcTarget {
  static readonly rpc = {
    increment: { exactlyOnce: true },
    incrementAndClose: { exactlyOnce: true },
    order: { exactlyOnce: true },
    confirm: { exactlyOnce: true },
    keep: { idempotent: true },
    incrementAndEnd: { exactlyOnce: true },
    fails: { exactlyOnce: true },
    later: { exactlyOnce: true },
    unstorable: { exactlyOnce: true },
    large: { exactlyOnce: true },
    deep: { exactlyOnce: true },
    empty: { exactlyOnce: true },
    guarded: { exactlyOnce: true, guard: (_caller: Caller, allowed: boolean) => Promise.resolve(allowed) },
    read: { idempotent: true },
    room: { restorable: true },
  };
  readonly #ctx: DurableObjectState;
  readonly #endConnections: () => void;
  readonly #storage: DurableObjectStorage;
  #release = Promise.withResolvers<void>();

  constructor(ctx: DurableObjectState, endConnections: () => void) {
    super();
    this.#ctx = ctx;
    this.#endConnections = endConnections;
    this.#storage = ctx.storage;
  }

  increment(by = 1): number {
    return this.#note('increment', by);
  }

  /** Has an effect, and returns something to go on from. */
  order(): { id: number } {
    return { id: this.#note('order') };
  }

  confirm(id: number): string {
    this.#note('confirm');
    return `confirmed ${id}`;
  }

  /** Returns what it is given when it is let go of. */
  async keep(id: number): Promise<number> {
    this.#note('keep');
    await this.#release.promise;
    return id;
  }

  /** Has an effect, and closes the object's sockets itself, before the reply. */
  incrementAndClose(code: number, reason = ''): number {
    for (const socket of this.#ctx.getWebSockets()) socket.close(code, reason);
    return this.#note('increment');
  }

  /** Has an effect, and ends all connections in the library's own way, before the reply. */
  incrementAndEnd(): number {
    this.#endConnections();
    return this.#note('increment');
  }

  /** Has an effect, and then throws. */
  fails(): never {
    this.#note('fails');
    throw new RangeError('after all');
  }

  /** Returns a promise, which the declaration does not show. */
  later(): Promise<number> {
    return Promise.resolve(this.#note('later'));
  }

  /** Returns what cannot be stored. */
  unstorable(): () => void {
    this.#note('unstorable');
    return () => {};
  }

  /** Its guard returns a promise, which its declaration does not show. */
  guarded(_allowed: boolean): number {
    return this.#note('guarded');
  }

  large(bytes: number): Uint8Array {
    this.#note('large');
    return new Uint8Array(bytes);
  }

  /** Returns lists in lists. */
  deep(levels: number): unknown[] {
    this.#note('deep');
    let list: unknown[] = [];
    for (let level = 1; level < levels; level++) list = [list];
    return list;
  }

  /** Drops all tables, with what the library has stored. */
  empty(): string {
    this.#storage.sql.exec('DROP TABLE IF EXISTS lumenize_rpc_results');
    return 'empty';
  }

  /** Counts how often it was read. */
  read(): number {
    this.#note('read');
    return this.count('increment');
  }

  bump(): number {
    return this.#note('bump');
  }

  /** Waits until it is let go of. */
  async held(): Promise<string> {
    this.#note('held');
    await this.#release.promise;
    return 'released';
  }

  letGo(): void {
    this.#release.resolve();
    this.#release = Promise.withResolvers();
  }

  room(name: string): DeliveryRoom {
    return new DeliveryRoom(this.#storage, name);
  }

  /** The same, and nothing is said of what becomes of a call that is lost. */
  openRoom(name: string): DeliveryRoom {
    this.#note('openRoom');
    return new DeliveryRoom(this.#storage, name);
  }

  list(): number[] {
    return [1, 2, 3];
  }

  async ask(callback: (n: number) => Promise<number>): Promise<number> {
    this.#note('ask');
    return callback(1);
  }

  /** How often a method has had its effect. */
  count(method: string): number {
    return this.#storage.kv.get<number>(method) ?? 0;
  }

  /** How many results are stored. */
  results(): number {
    const tables = this.#storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'lumenize_rpc_results'").toArray();
    if (tables.length === 0) return -1;
    return this.#storage.sql.exec("SELECT 1 FROM lumenize_rpc_results WHERE client <> ''").toArray().length;
  }

  #note(method: string, by = 1): number {
    const count = this.count(method) + by;
    this.#storage.kv.put(method, count);
    return count;
  }
}

export class DeliveryRoom extends RpcTarget {
  static readonly rpc = { enter: { exactlyOnce: true }, lock: { exactlyOnce: true, guard: () => false } };
  readonly #storage: DurableObjectStorage;
  readonly #name: string;

  constructor(storage: DurableObjectStorage, name: string) {
    super();
    this.#storage = storage;
    this.#name = name;
  }

  enter(): string {
    return this.#note('enter');
  }

  /** Nobody may call it. */
  lock(): string {
    return this.#note('lock');
  }

  /** The same, and nothing is said of what becomes of a call that is lost. */
  visit(): string {
    return this.#note('visit');
  }

  #note(method: string): string {
    const count = (this.#storage.kv.get<number>(method) ?? 0) + 1;
    this.#storage.kv.put(method, count);
    return `${this.#name} ${count}`;
  }
}
