import { type Caller, RpcEntrypoint, RpcTarget } from '@lumenize/rpc/server';

/** What another Worker calls over a service binding. */
export class ShopApi extends RpcTarget {
  readonly #buyer: string;

  constructor(buyer: string) {
    super();
    this.#buyer = buyer;
  }

  price(product: string): number {
    return product === 'apple' ? 0.4 : Number.NaN;
  }

  buyer(): string {
    return this.#buyer;
  }
}

export class Shop extends RpcEntrypoint<object, string> {
  override target(caller: Caller<string>): ShopApi {
    return new ShopApi(caller.identity);
  }
}

export default { fetch: () => new Response('only bindings') } satisfies ExportedHandler;
