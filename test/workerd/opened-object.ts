import { RpcObject, RpcTarget } from '@lumenize/rpc/server';

/** Has what tests of tests need: memory, storage, secrets, and methods of each kind of delivery. */
export class OpenedObject extends RpcObject {
  private readonly memory: string[] = [];
  readonly #closed = 'closed';

  constructor(ctx: DurableObjectState, env: object) {
    super(ctx, env);
    const lives = (ctx.storage.kv.get<number>('lives') ?? 0) + 1;
    ctx.storage.kv.put('lives', lives);
  }

  override target(): OpenedTarget {
    return new OpenedTarget(this.ctx.storage, this.memory);
  }

  /** Public, and not remote. */
  secret(of: string): string {
    return `a secret ${of}${this.#closed === 'closed' ? '' : '!'}`;
  }
}

class OpenedTarget extends RpcTarget {
  static readonly rpc = { pay: { exactlyOnce: true } };
  readonly #storage: DurableObjectStorage;
  readonly #memory: string[];

  constructor(storage: DurableObjectStorage, memory: string[]) {
    super();
    this.#storage = storage;
    this.#memory = memory;
  }

  lives(): number {
    return this.#storage.kv.get<number>('lives')!;
  }

  /** Keeps something in memory only, and returns how much there is. */
  remember(text: string): number {
    return this.#memory.push(text);
  }

  pay(amount: number): number {
    const paid = (this.#storage.kv.get<number>('paid') ?? 0) + amount;
    this.#storage.kv.put('paid', paid);
    return paid;
  }

  self(): OpenedTarget {
    return this;
  }

  forever(): Promise<never> {
    return new Promise(() => {});
  }
}
