import { RpcObject, routeRpc } from '@lumenize/rpc/server';
import { NotesApi } from './notes-api.ts';

export class Notes extends RpcObject {
  readonly #added = this.topic<string>('added');

  override target() {
    return new NotesApi(this.ctx.storage, new Set(), this.#added);
  }
}

export default {
  async fetch(request, env) {
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<object>;
