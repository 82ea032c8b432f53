import { RpcObject } from '@lumenize/rpc/server';
import { IdleTarget } from '../../hostile/idle-target.ts';

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
