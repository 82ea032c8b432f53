import { connection, RpcTarget } from '@lumenize/rpc';
import { connectInMemory } from '@lumenize/rpc/memory';
import { expect, test } from 'vitest';

// biome-ignore lint/suspicious/noExplicitAny: the point is what types forbid
type Any = any;

class Api extends RpcTarget {
  list() {
    return [{ a: 1, b: { c: 2 } }];
  }
  echo(value: unknown) {
    return value;
  }
}

const connect = () => connectInMemory(new Api()) as Any;

const NOT_UNDEFINED = (element: Any) => {
  if (element.a) return 'yes';
  return 'no';
};

const MISUSES: readonly [name: string, callback: (element: Any, stub: Any) => unknown, message: RegExp][] = [
  ['is async', async (element) => element, /callback of map\(\) is async/],
  ['is async and awaits a placeholder', async (element) => (await element).a, /is async/],
  ['returns a promise', (element) => Promise.resolve(element), /returns a promise/],
  ['awaits a placeholder', (element) => element.a.then((a: unknown) => a), /element\.a cannot be awaited, iterated/],
  ['awaits a stub', (_element, stub) => stub.echo(1).then(), /echo\(\) cannot be awaited, iterated/],
  ['awaits a member from outside', (_element, stub) => stub.list.then(), /stub\.list cannot be awaited, iterated/],
  ['puts a property into text', (element) => `${element.a}`, /element\.a cannot be awaited, iterated/],
  ['compares', (element) => element.a > 3, /element\.a cannot be awaited, iterated/],
  ['calculates', (element) => element.a + 1, /element\.a cannot be awaited, iterated/],
  ['calculates with the element', (element) => element * 2, /element cannot be awaited, iterated/],
  ['calculates with a result', (_element, stub) => stub.echo(1) - 1, /echo\(\) cannot be awaited, iterated/],
  ['iterates', (element) => [...element.b], /element\.b cannot be awaited, iterated/],
  ['takes apart', ({ b: [first] }) => first, /element\.b cannot be awaited, iterated/],
  ['spreads', (element) => ({ ...element }), /element cannot be awaited, iterated/],
  ['looks for a key', (element) => 'a' in element, /element cannot be awaited, iterated/],
  ['lists keys', (element) => Object.keys(element.b), /element\.b cannot be awaited, iterated/],
  ['turns into JSON', (element) => JSON.stringify({ element }), /element cannot be awaited, iterated/],
  ['assigns', (element) => (element.a = 5), /element cannot be awaited, iterated/],
  ['deletes', (element) => delete element.a, /element cannot be awaited, iterated/],
  ['branches', NOT_UNDEFINED, /element\.a was read here and used for nothing/],
  ['chooses', (element) => (element.a ? 1 : 2), /element\.a was read/],
  ['compares for equality', (element) => element.b.c === 1, /element\.b\.c was read/],
  ['negates', (element) => !element.a, /element\.a was read/],
  ['asks for a type', (element) => typeof element.a === 'string', /element\.a was read/],
  ['branches and returns the same', (element) => (element.a ? element.a : 0), /element\.a was read/],
  ['joins conditions', (element) => element.a && element.b, /element\.a was read/],
  [
    'branches in a callback in it',
    (element, stub) => stub.list().map(() => (element.a ? 1 : 2)),
    /element\.a was read/,
  ],
  ['keeps it for itself', (element) => void [].concat(element.a), /element\.a was read/],
  ['calls another connection', () => connect().list(), /of another connection/],
  ['calls another connection with a placeholder', (element) => connect().echo(element), /another connection/],
];

test.each(MISUSES)('a callback that %s is refused where it does', (_name, callback, message) => {
  const stub = connect();
  const attempt = () => stub.list().map((element: Any) => callback(element, stub));
  expect(attempt).toThrow(TypeError);
  expect(attempt).toThrow(message);
});

test('a callback of filter() that joins conditions is refused', () => {
  const stub = connect();
  expect(() => stub.list().filter((element: Any) => stub.echo(element) && stub.echo(1))).toThrow(
    /echo\(\) was read here and used for nothing/,
  );
});

test('the error for a branch leads to the line that reads the property', () => {
  const stub = connect();
  const { stack } = caught(() => stub.list().map(NOT_UNDEFINED));
  // Below two lines of the library is the callback.
  expect(stack?.split('\n').slice(1, 4).join()).toContain('NOT_UNDEFINED');
});

test.each([
  [
    'a symbol as an argument',
    (_element: Any, stub: Any) => stub.echo({ a: [Symbol('x')] }),
    'at argument 0.a[0]: symbols',
  ],
  ['a symbol as the result', () => ({ a: Symbol('x') }), "at the callback's result.a: symbols"],
  ['a Blob', (_element: Any, stub: Any) => stub.echo(new Blob(['x'])), 'a Blob, File, Request or Response cannot'],
])('%s is refused at once', (_name, callback, message) => {
  const stub = connect();
  const error = caught(() => stub.list().map((element: Any) => callback(element, stub)));
  expect(error).toMatchObject({ code: 'NOT_CLONEABLE', message: expect.stringContaining(message) });
});

test('a placeholder that was kept is of no use when the callback has returned', async () => {
  const stub = connect();
  let kept: Any;
  let result: Any;
  await stub.list().map((element: Any) => {
    kept = element;
    result = stub.echo(element);
    return 1;
  });
  expect(() => kept.a).toThrow(/element cannot be awaited, iterated.*or kept/);
  expect(() => result.a()).toThrow(/echo\(\) cannot be awaited, iterated.*or kept/);
  await expect(stub.echo(kept)).rejects.toMatchObject({
    message: expect.stringContaining('with stand-ins'),
  });
  expect(() => stub.list().map(() => kept)).toThrow(/uses a stub of another connection/);
});

test('what a callback throws is thrown by map(), and calls go on as before', async () => {
  const stub = connect();
  const list = stub.list();
  expect(() =>
    list.map(() => {
      throw new RangeError('of the callback');
    }),
  ).toThrow(new RangeError('of the callback'));
  expect(await stub.echo(1)).toBe(1);
  expect(await list.map((element: Any) => element.b.c)).toEqual([2]);
  expect(connection(stub).statistics.callsInFlight).toBe(0);
});

test('a callback is called once', async () => {
  const stub = connect();
  let count = 0;
  await stub.echo([1, 2, 3]).map((element: Any) => {
    count++;
    return element;
  });
  expect(count).toBe(1);
});

function caught(run: () => unknown): Error {
  try {
    run();
  } catch (error) {
    return error as Error;
  }
  throw new Error('nothing was thrown');
}
