import { describeTarget } from '@lumenize/inspect';
import { expiring, RpcError, RpcObject, RpcTarget, routeRpc, type SubscribeOptions } from '@lumenize/rpc/server';

/** What the command line is tried on. */
class SecretiveApi extends RpcTarget {
  static readonly rpc = {
    increment: { exactlyOnce: true },
    getValue: { readOnly: true },
    reset: { guard: () => false },
  };
  readonly #object: Toolbox;
  constructor(object: Toolbox) {
    super();
    this.#object = object;
  }
  increment(by = 1): number {
    return this.#object.increment(by);
  }
  getValue(): number {
    return this.#object.increment(0);
  }
  reset(): void {}
  get version(): string {
    return '1.2.3';
  }
  profile() {
    return { owner: { name: 'Ada' }, tags: new Set(['demo']), since: new Date(0) };
  }
  echo(...values: unknown[]): unknown[] {
    return values;
  }
  fail(): never {
    throw new RangeError('this method fails');
  }
  spoof(): never {
    throw new Error('all is well\x1b[2K\r');
  }
  hang(): Promise<never> {
    return new Promise(() => {});
  }
  news(options?: SubscribeOptions) {
    return this.#object.news.subscribe(options);
  }
  get unready(): never {
    throw new RangeError('this getter fails');
  }
  maker() {
    return (value: unknown) => value;
  }
  late() {
    return { now: 1, later: Promise.reject(new Error('this comes late')) };
  }
  async *stops(error: string) {
    yield 'first';
    throw error === 'DENIED' ? new RpcError(error, 'no more') : new RangeError('in the middle');
  }
  async *mixed() {
    yield 1;
    yield new Set();
  }
  async *countdown(from: number) {
    for (let left = from; left > 0; left--) yield left;
  }
}

class ToolboxApi extends SecretiveApi {
  get rpcDescription() {
    return describeTarget(this);
  }
}

export class Toolbox extends RpcObject {
  readonly news = this.topic<string>('news', { retain: 10 });
  target() {
    return this.ctx.id.name === 'secretive' ? new SecretiveApi(this) : new ToolboxApi(this);
  }
  increment(by: number): number {
    const value = (this.ctx.storage.kv.get<number>('value') ?? 0) + by;
    if (by !== 0) this.ctx.storage.kv.put('value', value);
    return value;
  }
}

export default {
  async fetch(request: Request, env: object): Promise<Response> {
    const answer =
      (await routeRpc(request, env)) ??
      (await routeRpc(request, env, {
        prefix: '/locked',
        authenticate: (_request, { token }) => (token === 'sesame' ? expiring('ada', Date.now() + 60_000) : undefined),
      }));
    return answer ?? new Response('nothing here\n', { status: 404 });
  },
};
