import { type Caller, RpcObject, RpcTarget, routeRpc } from '@lumenize/rpc/server';

/** What is used here of `ctx`, whose types are of Workers only. */
export interface Context {
  readonly storage: { readonly kv: { get(key: string): unknown; put(key: string, value: unknown): void } };
}

export class CounterApi extends RpcTarget {
  static readonly rpc = { increment: { exactlyOnce: true }, value: { readOnly: true } };

  readonly #ctx: Context;

  constructor(ctx: Context) {
    super();
    this.#ctx = ctx;
  }

  increment(by = 1): number {
    const value = this.value() + by;
    this.#ctx.storage.kv.put('value', value);
    return value;
  }

  value(): number {
    return (this.#ctx.storage.kv.get('value') as number | undefined) ?? 0;
  }

  echo(value: unknown): unknown {
    return value;
  }

  async slow(ms: number): Promise<number> {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return ms;
  }
}

export class Counter extends RpcObject {
  target(_caller: Caller): CounterApi {
    return new CounterApi((this as unknown as { ctx: Context }).ctx);
  }
}

export default {
  async fetch(request: Request, env: object): Promise<Response> {
    return (await routeRpc(request, env)) ?? new Response('not found', { status: 404 });
  },
};
