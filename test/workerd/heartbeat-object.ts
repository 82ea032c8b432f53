import { RpcObject } from '@lumenize/rpc/server';
import { ContractTarget } from '../contract/contract-target.ts';

/** Counts how often it is made. */
export class HeartbeatObject extends RpcObject {
  readonly lives: number;

  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    this.lives = (ctx.storage.kv.get<number>('lives') ?? 0) + 1;
    ctx.storage.kv.put('lives', this.lives);
  }

  override target(): ContractTarget {
    return new ContractTarget();
  }
}

/** Has the runtime answer something else than heartbeats. */
export class OwnHeartbeatObject extends HeartbeatObject {
  constructor(ctx: DurableObjectState, env: unknown) {
    super(ctx, env);
    ctx.setWebSocketAutoResponse(new WebSocketRequestResponsePair('how are you', 'fine'));
  }
}
