import { connectInMemory, RpcTarget } from '@lumenize/rpc/memory';
import { register } from '@lumenize/structured-clone';
import { afterEach, expect, test } from 'vitest';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import { sequence } from './support/frames.ts';
import { recordedTransport } from './support/recorded-transport.ts';

class Money {
  static encoded = 0;
  readonly cents: number;
  constructor(cents: number) {
    this.cents = cents;
  }
}

let whileDecoding = () => {};
afterEach(() => {
  whileDecoding = () => {};
});

register(Money, {
  name: 'Money',
  encode({ cents }) {
    Money.encoded++;
    return cents;
  },
  decode(payload) {
    const run = whileDecoding;
    whileDecoding = () => {};
    run();
    return new Money(payload as number);
  },
});

class Api extends RpcTarget {
  echo(value: unknown) {
    return value;
  }
  kindOf({ cents }: Money, _blob?: Blob) {
    return typeof cents;
  }
  sum(...values: number[]) {
    return values.reduce((a, b) => a + b, 0);
  }
}

function serve() {
  const { entries, closes, transport } = recordedTransport();
  const session = new ServerSession(new Api(), transport, createServerContext({}));
  return { entries, closes, receive: (...values: unknown[]) => session.receive(sequence(...values)) };
}

const call = (path: string, ...args: unknown[]) => [0, path, args];

test('reads the frame at hand to its end where decoding a class of its own has another session receive one', () => {
  const outer = serve();
  const inner = serve();
  whileDecoding = () => inner.receive(7, call('sum', 1, 2), call('echo', 'inner'));
  outer.receive(3, call('echo', 'first'), call('echo', new Money(5)), call('sum', 20, 30));
  expect(inner.entries).toEqual([7, [3], ['inner']]);
  expect(outer.entries).toEqual([3, ['first'], [new Money(5)], [50]]);
  expect([...outer.closes, ...inner.closes]).toEqual([]);
});

test('a result in an instance of a class is refused where it cannot be put in its place', async () => {
  // biome-ignore lint/suspicious/noExplicitAny: tested untyped
  using stub = connectInMemory(new Api()) as any;
  await expect(stub.kindOf(new Money(stub.sum(1, 2)))).rejects.toMatchObject({ code: 'NOT_CLONEABLE' });
  expect(await stub.echo([new Money(await stub.sum(1, 2)), stub.sum(3)])).toEqual([new Money(3), 3]);
});

test('reads a frame that is refused meanwhile apart from the one at hand', () => {
  const outer = serve();
  const inner = serve();
  whileDecoding = () => inner.receive(7, ['nonsense']);
  outer.receive(3, call('echo', new Money(5)), call('sum', 1));
  whileDecoding = () => inner.receive('nonsense');
  outer.receive(5, call('echo', new Money(6)), call('sum', 2));
  expect(outer.entries).toEqual([3, [new Money(5)], [1], 5, [new Money(6)], [2]]);
  expect(inner.entries[0]).toBe(7);
  expect(inner.closes).toHaveLength(1);
  expect(outer.closes).toEqual([]);
});

test('a call that waits is made as it is if a class of its own cannot be decoded on this side', async () => {
  using api = connectInMemory(new Api());
  const earlier = api.sum(1, 2);
  await undefined;
  await undefined;
  await undefined;
  whileDecoding = () => {
    throw new Error('only servers decode this');
  };
  const waiting = api.echo([new Money(5), earlier]);
  expect(await waiting).toEqual([new Money(5), 3]);
});

test('arguments of calls with Blobs are encoded as often, however many such calls wait', async () => {
  using api = connectInMemory(new Api());
  const encodings = async (calls: number) => {
    Money.encoded = 0;
    await Promise.all(Array.from({ length: calls }, () => api.kindOf(new Money(5), new Blob(['a']))));
    return Money.encoded / calls;
  };
  expect(await encodings(40)).toBeLessThan((await encodings(4)) + 1);
});
