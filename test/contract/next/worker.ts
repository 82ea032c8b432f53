import { RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server';
import { ContractTarget } from '../contract-target.ts';

/** Serves the contract suite over hibernating sockets. */
export class ContractObject extends RpcObject {
  override target(): ContractTarget {
    return new ContractTarget();
  }
}

/** The same with hibernation off. */
export class ContractObjectAccept extends ContractObject {
  override rpcOptions(): { hibernate: false } {
    return { hibernate: false };
  }
}

/** What clients of `NewsObject` call. */
export class NewsApi extends RpcTarget {
  readonly #object: NewsObject;

  constructor(object: NewsObject) {
    super();
    this.#object = object;
  }

  static readonly rpc = { publishOnce: { exactlyOnce: true } };

  subscribe(options?: { since?: never }) {
    return this.#object.news().subscribe(options);
  }

  publish(event: unknown): number {
    return this.#object.news().publish(event);
  }

  publishOnce(event: unknown): number {
    return this.#object.news().publish(event);
  }

  async wipe(): Promise<void> {
    await this.#object.wipe();
  }

  subscribers(): number {
    return this.#object.news().subscribers;
  }

  /** Ends all connections, as a network does. */
  cut(): void {
    this.#object.cut();
  }
}

/** Publishes and subscribes. */
export class NewsObject extends RpcObject {
  override target(): NewsApi {
    return new NewsApi(this);
  }

  news() {
    return this.topic<unknown>('news', { retain: 1000 });
  }

  wipe(): Promise<void> {
    return this.ctx.storage.deleteAll();
  }

  cut(): void {
    for (const socket of this.ctx.getWebSockets()) socket.close(1012, 'cut');
  }
}

export default {
  async fetch(request, env) {
    return (await routeRpc(request, env)) ?? new Response('Not found', { status: 404 });
  },
} satisfies ExportedHandler<{
  CONTRACT: DurableObjectNamespace;
  CONTRACT_ACCEPT: DurableObjectNamespace;
  NEWS: DurableObjectNamespace;
}>;
