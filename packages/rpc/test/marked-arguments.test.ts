import { connection, withOptions } from '@lumenize/rpc';
import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { expect, test } from 'vitest';
import { connectOver } from '../src/client/connect.ts';
import { Line } from './support/line.ts';

// biome-ignore lint/suspicious/noExplicitAny: stubs are called as untyped code does, too
type Any = any;

const AT = new Date(0);

class Room extends RpcTarget {
  readonly #of: Any;
  constructor(of: Any) {
    super();
    this.#of = of;
  }
  keys(): string[] {
    return Object.keys(this.#of);
  }
}

class Target extends RpcTarget {
  static readonly rpc = { room: { restorable: true } };
  #kept: Any;
  room(of: Any): Room {
    return new Room(of);
  }
  fails(): Room {
    throw new RangeError('no room');
  }
  later(ms: number): Promise<string> {
    return new Promise((resolve) => setTimeout(() => resolve('later'), ms));
  }
  keep(callback: Any): void {
    this.#kept = callback;
  }
  ask(): unknown {
    return this.#kept();
  }
}

const LOOKALIKES: [string, Any][] = [
  ['"at" behind a list', { tags: ['a'], at: AT }],
  ['"of" behind an object', { range: {}, of: AT }],
  ['the name of a mark', { $target: [1] }],
  ['the name of a mark beside others', { $yours: [0], at: AT }],
  ['the name of a mark, without a prototype', Object.assign(Object.create(null), { $function: [1] })],
];

test.each(LOOKALIKES)('a place is found again by data with %s', async (_, data) => {
  using stub = connectInMemory(new Target()) as Any;
  const room = await stub.room(data);
  expect(await room.keys()).toEqual(Object.keys(data));
});

test.each(LOOKALIKES)('a call with %s that fails before it is read leaves references alone', async (_, data) => {
  using stub = connectInMemory(new Target()) as Any;
  await stub.keep(() => 'called');
  await expect(stub.fails().enter(data, AT)).rejects.toThrow('no room');
  expect(await stub.ask()).toBe('called');
});

test('a call with a signal that was aborted before fails alone, if it fails before that is read', async () => {
  using stub = connectInMemory(new Target()) as Any;
  const later = stub.later(20);
  const failed = stub.fails().enter(AbortSignal.abort());
  await expect(failed).rejects.toThrow('no room');
  expect(await later).toBe('later');
});

test('a call with data that looks like a reference can be given up while it waits', async () => {
  const line = new Line(new Target());
  const stub = line.connect();
  await stub.keep(() => 'called');
  const waiting = stub.later(300);
  line.session.drain();
  await new Promise((resolve) => setTimeout(resolve));
  const controller = new AbortController();
  const given = withOptions(stub, { signal: controller.signal }).room({ $function: [1] });
  const failed = Promise.resolve(given).catch((error: Any) => error.code);
  await new Promise((resolve) => setTimeout(resolve));
  controller.abort();
  expect(await failed).toBe('CANCELLED');
  expect(connection(stub).statistics.exports).toBe(1);
  await waiting;
  connection(stub).close();
});

test('a subscription by a call with bytes ends with its connection, as these are not kept', async () => {
  let events: Any;
  const sent: string[][] = [];
  const stub = connectOver<Any>(
    (given) => {
      events = given;
      const up: string[] = [];
      sent.push(up);
      queueMicrotask(() => given.opened());
      return {
        send: (message) => void up.push(typeof message === 'string' ? message : 'bytes'),
        close: () => {},
        probe: () => {},
      };
    },
    'a script',
    { reconnect: { minDelayMs: 1, maxDelayMs: 1 }, onStateChange: () => {} },
  );
  const call = stub.watch(new Uint8Array([1, 2]));
  void call.then(() => {});
  await new Promise((resolve) => setTimeout(resolve, 5));
  events.received('[-1,{"$":{"$topic":["t",["e",0]]}}]');
  const subscription = await call;
  const next = subscription.next().catch((error: Any) => error.code);
  events.closed(1006, '');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(sent).toEqual([['bytes'], []]);
  expect(await next).toBe('REFERENCE_LOST');
  connection(stub).close();
});
