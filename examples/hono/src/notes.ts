import { type Caller, RpcObject, RpcTarget } from '@lumenize/rpc/server';

/** Notes that several people write. */
export class Notes extends RpcObject<unknown, string> {
  override target(caller: Caller<string>): NotesApi {
    return new NotesApi(this.ctx.storage, caller.identity);
  }
}

export class NotesApi extends RpcTarget {
  readonly #storage: DurableObjectStorage;
  readonly #name: string;

  constructor(storage: DurableObjectStorage, name: string) {
    super();
    this.#storage = storage;
    this.#name = name;
  }

  add(text: string): number {
    const notes = [...this.all(), `${this.#name}: ${text}`];
    this.#storage.kv.put('notes', notes);
    return notes.length;
  }

  all(): string[] {
    return this.#storage.kv.get('notes') ?? [];
  }
}
