import { RpcObject } from '@lumenize/rpc/server';
import { CounterApi } from './counter-api.ts';

/** The counter served by Lumenize RPC as it ships: over a hibernating socket. */
export class CounterLumenize extends RpcObject {
  override target(): CounterApi {
    return new CounterApi(this.ctx.storage);
  }
}
