import { RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server';

class Room extends RpcTarget {
  static readonly rpc = { put: { exactlyOnce: true } };
  readonly #name: string;
  readonly #storage: DurableObjectStorage;
  constructor(name: string, storage: DurableObjectStorage) {
    super();
    this.#name = name;
    this.#storage = storage;
  }
  get name(): string {
    return this.#name;
  }
  put(tag: string): string {
    this.#storage.sql.exec('INSERT INTO log VALUES (?)', tag);
    return tag;
  }
}

/** What the clients of `CutsObject` call. */
export class CutsApi extends RpcTarget {
  static readonly rpc = {
    once: { exactlyOnce: true },
    put: { idempotent: true },
    written: { idempotent: true },
    file: { idempotent: true },
    room: { restorable: true },
  };
  readonly #storage: DurableObjectStorage;
  constructor(storage: DurableObjectStorage) {
    super();
    this.#storage = storage;
    storage.sql.exec('CREATE TABLE IF NOT EXISTS log (tag TEXT)');
    storage.sql.exec('CREATE TABLE IF NOT EXISTS kv (k TEXT PRIMARY KEY, v)');
  }
  once(tag: string): string {
    return this.plain(tag);
  }
  plain(tag: string): string {
    this.#storage.sql.exec('INSERT INTO log VALUES (?)', tag);
    return tag;
  }
  put(key: string, value: number): number {
    this.#storage.sql.exec('INSERT OR REPLACE INTO kv VALUES (?, ?)', key, value);
    return value;
  }
  room(name: string): Room {
    return new Room(name, this.#storage);
  }
  call(callback: (value: number) => unknown, value: number): unknown {
    return callback(value);
  }
  async *count(to: number): AsyncGenerator<number> {
    for (let n = 0; n < to; n++) yield n;
  }
  async slow(tag: string): Promise<string> {
    await new Promise((resolve) => setTimeout(resolve, 3));
    return tag;
  }
  file(tag: string): { file: Blob } {
    return { file: new Blob([tag]) };
  }
  data(tag: string) {
    return { deep: { tag }, other: tag.length };
  }
  /** What has run, and what was put. */
  written(): [log: string[], kv: Record<string, number>] {
    const log = this.#storage.sql.exec<{ tag: string }>('SELECT tag FROM log').toArray();
    const kv = this.#storage.sql.exec<{ k: string; v: number }>('SELECT k, v FROM kv').toArray();
    return [log.map(({ tag }) => tag), Object.fromEntries(kv.map(({ k, v }) => [k, v]))];
  }
}

/** An object whose connections are cut at any time. */
export class CutsObject extends RpcObject {
  override target(): CutsApi {
    return new CutsApi(this.ctx.storage);
  }
}

export default {
  async fetch(request, env) {
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<{ CUTS: DurableObjectNamespace }>;
