import { describeTarget } from '@lumenize/inspect';
import { type Caller, RpcObject, RpcTarget } from '@lumenize/rpc/server';
import { z } from 'zod';

export interface User {
  readonly name: string;
  readonly mayRestock: boolean;
}

const Product = z.object({ product: z.string().min(1).describe('Name of a product') });
const Amount = Product.extend({ count: z.int().min(1).default(1).describe('How many of it') });

/** A shop, for whoever calls: pages, other Workers, and language models. */
export class Shop extends RpcObject<unknown, User> {
  override target({ identity }: Caller<User>): ShopApi {
    return identity.mayRestock ? new KeeperApi(this.ctx.storage) : new ShopApi(this.ctx.storage);
  }
}

export class ShopApi extends RpcTarget {
  static readonly rpc = {
    stock: { args: [Product], idempotent: true },
    order: { args: [Amount] },
  };
  static readonly about: Readonly<Record<string, string>> = {
    stock: 'Tells how many of a product there are',
    order: 'Takes some of a product out of the shop, and tells how many are left',
  };
  readonly #storage: DurableObjectStorage;

  constructor(storage: DurableObjectStorage) {
    super();
    this.#storage = storage;
  }

  /** Lets callers ask what they can call. */
  get rpcDescription() {
    return describeTarget(this);
  }

  stock({ product }: z.output<typeof Product>): number {
    return this.#storage.kv.get(product) ?? 0;
  }

  order({ product, count }: z.output<typeof Amount>): { left: number } {
    return { left: this.change(product, -count) };
  }

  protected change(product: string, by: number): number {
    const left = this.stock({ product }) + by;
    if (left < 0) throw new RangeError(`there are not that many of ${product}`);
    this.#storage.kv.put(product, left);
    return left;
  }
}

/** What only who keeps the shop may do: others do not see that there is such a method. */
export class KeeperApi extends ShopApi {
  static override readonly rpc = { ...ShopApi.rpc, restock: { args: [Amount] } };
  static override readonly about = { ...ShopApi.about, restock: 'Puts more of a product into the shop' };

  restock({ product, count }: z.output<typeof Amount>): { left: number } {
    return { left: this.change(product, count) };
  }
}
