import { RpcObject, RpcTarget } from '@lumenize/rpc/server';

/** Has sockets that mostly idle. */
export class IdleObject extends RpcObject {
  /** How often the object has been made: kept, so that it outlives each time. */
  readonly #lives: number;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.#lives = (ctx.storage.kv.get<number>('lives') ?? 0) + 1;
    ctx.storage.kv.put('lives', this.#lives);
  }

  override target(): IdleTarget {
    return new IdleTarget(this.#lives);
  }
}

export class IdleTarget extends RpcTarget {
  readonly #lives: number;

  constructor(lives: number) {
    super();
    this.#lives = lives;
  }

  lives(): number {
    return this.#lives;
  }

  collect(): void {
    (globalThis as { gc?: () => void }).gc?.();
  }
}
