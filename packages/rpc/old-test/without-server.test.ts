import { expect, test } from 'vitest';
import { RpcTarget } from '../src/index.ts';
import { RunningCall } from '../src/server/context.ts';
import { callMember } from '../src/peer/members.ts';

class Counter extends RpcTarget {
  static readonly rpc = { once: { exactlyOnce: true }, again: { idempotent: true } };

  once(by: number): number {
    return by;
  }
  again(by: number): number {
    return by;
  }
}

class Guarded extends RpcTarget {
  static readonly rpc = { open: { guard: () => true } };

  open(): void {}
}

const counts = { callsInFlight: 0, exports: 0, imports: 0, channels: 0, heldResults: 0 };

function call(target: RpcTarget, name: string, ...args: unknown[]): unknown {
  const running = new RunningCall({ results: undefined, caller: undefined, counts, isOver: false }, 1, undefined);
  return callMember(target, name, args, running);
}

test('methods run in a page whatever their class says of delivery: nothing is made again there', () => {
  const counter = new Counter();
  expect([call(counter, 'once', 1), call(counter, 'once', 2), call(counter, 'again', 3)]).toEqual([1, 2, 3]);
});

test('guards are not passed over where there is no server to ask them', () => {
  expect(() => call(new Guarded(), 'open')).toThrow('for targets that a server serves');
});
