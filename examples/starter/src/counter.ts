import { RpcObject } from '@lumenize/rpc/server';
import { CounterApi, type CounterState } from './counter-api.ts';

/** The object: it holds the state, and decides who gets to talk to what. */
export class Counter extends RpcObject implements CounterState {
  readonly values = this.topic<number>('values');

  target() {
    return new CounterApi(this);
  }

  get value(): number {
    return this.ctx.storage.kv.get<number>('value') ?? 0;
  }

  add(by: number): number {
    const value = this.value + by;
    this.ctx.storage.kv.put('value', value);
    this.values.publish(value);
    return value;
  }
}
