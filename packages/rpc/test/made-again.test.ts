import { RpcTarget, withOptions } from '@lumenize/rpc';
import { callContext } from '@lumenize/rpc/server';
import { testConnection } from '@lumenize/rpc/testing';
import { expect, test } from 'vitest';
import { until } from './support/until.ts';

// What is made again over another connection is as if it had been made over that one.

test('tells the method of a call that was made again that its caller has given up', async () => {
  const signals: AbortSignal[] = [];
  class Api extends RpcTarget {
    static readonly rpc = { wait: { idempotent: true } };
    wait(): Promise<void> {
      signals.push(callContext().signal);
      return new Promise(() => {});
    }
  }
  using api = testConnection(() => new Api());
  const caller = new AbortController();
  const call = withOptions(api.stub, { signal: caller.signal }).wait();
  await until(() => signals.length === 1);
  api.cut();
  await until(() => signals.length === 2);
  caller.abort();
  await expect(call).rejects.toMatchObject({ code: 'CANCELLED' });
  await until(() => signals[1].aborted);
});

test('forgets the results of steps that were made again', async () => {
  let disposed = 0;
  class Room extends RpcTarget {
    static readonly rpc = { name: { idempotent: true } };
    name(): string {
      return 'lobby';
    }
    [Symbol.dispose](): void {
      disposed++;
    }
  }
  class House extends RpcTarget {
    static readonly rpc = { room: { idempotent: true }, counts: { readOnly: true } };
    room(): Room {
      return new Room();
    }
    counts() {
      return callContext().counts;
    }
  }
  using house = testConnection(() => new House());
  await house.stub.counts();
  house.cutDuring('down');
  const room = house.stub.room();
  expect(await room.name()).toBe('lobby');
  expect(await house.stub.counts()).toMatchObject({ heldResults: 1 });
  room[Symbol.dispose]();
  await house.stub.counts(); // takes it along
  expect(await house.stub.counts()).toMatchObject({ heldResults: 0 });
  expect(disposed).toBe(2);
});

test('keeps no result of a call that was made again only for another one', async () => {
  let runs = 0;
  class Api extends RpcTarget {
    static readonly rpc = { one: { idempotent: true }, add: { idempotent: true }, counts: { readOnly: true } };
    one(): number {
      return 1;
    }
    async add(n: number): Promise<number> {
      if (++runs === 1) await new Promise(() => {});
      return n + 1;
    }
    counts() {
      return callContext().counts;
    }
  }
  using api = testConnection(() => new Api());
  const one = api.stub.one();
  const two = api.stub.add(one);
  expect(await one).toBe(1);
  api.cut();
  expect(await two).toBe(2);
  expect(await api.stub.counts()).toMatchObject({ heldResults: 0 });
});
