import { RpcObject } from '@lumenize/rpc/server';
import { CounterApi } from '../../../../examples/counter/src/counter-api.ts';
import { noteLife } from './lives.ts';

class CounterOnceApi extends CounterApi {
  static override readonly rpc = { ...CounterApi.rpc, increment: { exactlyOnce: true } };
}

/** The counter whose increments are made again after a loss, and run once. */
export class CounterOnce extends RpcObject {
  protected readonly life = noteLife();

  override target(): CounterOnceApi {
    return new CounterOnceApi(this.ctx.storage);
  }
}
