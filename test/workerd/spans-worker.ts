// A Worker whose object has its calls among the spans of the Workers runtime.
import { tracing } from 'cloudflare:workers';
import { observeCalls, workersSpans } from '@lumenize/rpc/observe';
import { RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server';

export class SpansTarget extends RpcTarget {
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    super();
    this.#storage = storage;
  }

  async stored(value: string): Promise<string | undefined> {
    await this.#storage.put('value', value);
    tracing.startSpan('of the method').end();
    return this.#storage.get('value');
  }

  fails(): never {
    throw new RangeError('as it should');
  }
}

export class Spans extends RpcObject {
  override rpcOptions() {
    return { observe: observeCalls(workersSpans(tracing)) };
  }
  target() {
    return new SpansTarget(this.ctx.storage);
  }
}

export default {
  async fetch(request, env) {
    return (await routeRpc(request, env as object)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler;
