import { DurableObject } from 'cloudflare:workers';
import { newWorkersRpcResponse, type RpcStub, RpcTarget } from 'capnweb';

type Listener = (text: string) => unknown;

export class NotesApi extends RpcTarget {
  readonly #storage: DurableObjectStorage;
  readonly #listeners: Set<Listener>;

  constructor(storage: DurableObjectStorage, listeners: Set<Listener>) {
    super();
    this.#storage = storage;
    this.#listeners = listeners;
  }

  async add(text: string): Promise<number> {
    const notes = [...(await this.list()), text];
    await this.#storage.put('notes', notes);
    for (const listener of this.#listeners) listener(text);
    return notes.length;
  }

  async list(): Promise<string[]> {
    return (await this.#storage.get<string[]>('notes')) ?? [];
  }

  watch(listener: Listener): void {
    this.#listeners.add((listener as unknown as RpcStub<Listener>).dup());
  }
}

export class Notes extends DurableObject {
  readonly #listeners = new Set<Listener>();

  override fetch(request: Request): Promise<Response> {
    return newWorkersRpcResponse(request, new NotesApi(this.ctx.storage, this.#listeners));
  }
}

export default {
  fetch(request, env) {
    const name = new URL(request.url).pathname.split('/').at(-1)!; // /capnweb/notes/main
    return env.NOTES.getByName(name).fetch(request);
  },
} satisfies ExportedHandler<{ NOTES: DurableObjectNamespace }>;
