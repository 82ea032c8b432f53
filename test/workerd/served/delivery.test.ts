import { on, once } from 'node:events';
import { connection, type RpcError, type RpcTarget, type Stub } from '@lumenize/rpc';
import { beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { FaultyClient } from '../../support/faulty-socket.ts';
import { type SharedWorker, sharedWorker } from '../../support/shared-worker.ts';

/** What is used here of `test/workerd/delivery-object.ts`. */
interface DeliveryTarget {
  increment(by?: number): number;
  incrementAndClose(code: number, reason?: string): number;
  incrementAndEnd(): number;
  order(): { id: number };
  confirm(id: number): string;
  keep(id: number): Promise<number>;
  letGo(): void;
  fails(): never;
  read(): number;
  bump(): number;
  held(): Promise<string>;
  room(name: string): DeliveryRoom;
  openRoom(name: string): DeliveryRoom;
  list(): number[];
  ask(callback: (n: number) => Promise<number>): Promise<number>;
  count(method: string): number;
  results(): number;
}

declare class DeliveryRoom extends RpcTarget {
  lock(): string;
  enter(): string;
  visit(): string;
}

let worker: SharedWorker;
let objects = 0;

beforeAll(async () => {
  worker = await sharedWorker();
});

/** The binding of the objects that are called. */
let binding = 'delivery';
const newUrl = () => worker.url(`/rpc/${binding}/${objects++}`);

async function connectedClient(url = newUrl()): Promise<FaultyClient<DeliveryTarget>> {
  const client = new FaultyClient<DeliveryTarget>(url);
  await client.stub.count('nothing');
  return client;
}

describe.each(['delivery', 'delivery-accept'])('over sockets of %s', (name) => {
  beforeAll(() => {
    binding = name;
  });

  describe('a call whose answer is lost', () => {
    test('of an exactly-once method has its effect once, and its answer', async () => {
      using client = await connectedClient();
      const call = client.stub.increment(5);
      await client.loseAnswer();
      expect(await call).toBe(5);
      expect(await client.stub.count('increment')).toBe(5);
      expect(connection(client.stub).statistics).toMatchObject({ reconnects: 1, callsInFlight: 0 });
    });

    test('of an idempotent method is made again', async () => {
      using client = await connectedClient();
      const call = client.stub.read();
      await client.loseAnswer();
      expect(await call).toBe(0);
      expect(await client.stub.count('read')).toBe(2);
    });

    test('of any other method is of unknown outcome, and is not made again', async () => {
      using client = await connectedClient();
      const call = expect(client.stub.bump()).rejects.toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        message: expect.stringContaining('bump() may have run'),
      });
      await client.loseAnswer();
      await call;
      expect(await client.stub.count('bump')).toBe(1);
    });

    test('is answered as its method allows, each of a frame for itself', async () => {
      using client = await connectedClient();
      const { stub } = client;
      const calls = Promise.allSettled([stub.increment(), stub.bump(), stub.read(), stub.increment(10), stub.list()]);
      await client.loseAnswer();
      expect(
        (await calls).map((outcome) => (outcome.status === 'fulfilled' ? outcome.value : outcome.reason.code)),
      ).toEqual([1, 'OUTCOME_UNKNOWN', 11, 11, 'OUTCOME_UNKNOWN']);
      expect(await Promise.all([stub.count('increment'), stub.count('bump')])).toEqual([11, 1]);
    });

    test('may use results of others, if what leads to it can run again', async () => {
      using client = await connectedClient();
      const { stub } = client;
      const calls = [
        stub.room('blue').enter(),
        stub.openRoom('red').visit(),
        stub.order().id,
        stub.list().map((n) => n),
      ];
      const outcomes = Promise.allSettled(calls as PromiseLike<unknown>[]);
      await client.loseAnswer();
      const unknown = (method: string) => ({
        reason: { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining(`${method}() may have run`) },
      });
      expect(await outcomes).toMatchObject([{ value: 'blue 1' }, unknown('openRoom'), { value: 1 }, unknown('list')]);
      const counts = ['enter', 'openRoom', 'visit', 'order'].map((method) => stub.count(method));
      expect(await Promise.all(counts)).toEqual([1, 1, 1, 1]);
    });

    test('and that uses one that was answered before is of unknown outcome, and is not made again', async () => {
      using client = await connectedClient();
      const { stub } = client;
      const order = stub.order();
      const kept = expect(stub.keep(order.id)).rejects.toMatchObject({
        code: 'OUTCOME_UNKNOWN',
        message: expect.stringContaining('a call that it uses was answered before'),
      });
      expect(await order).toEqual({ id: 1 });
      client.cut();
      await kept;
      expect(await Promise.all([stub.count('order'), stub.count('keep')])).toEqual([1, 1]);
    });

    test('that throws is made again, since nothing of it was kept', async () => {
      using client = await connectedClient();
      const call = expect(client.stub.fails()).rejects.toThrow(new RangeError('after all'));
      await client.loseAnswer();
      await call;
      expect(await client.stub.count('fails')).toBe(0);
    });

    test('and that passes a callback rejects at once, and so do those of its frame', async () => {
      using client = await connectedClient();
      const { stub } = client;
      const calls = Promise.allSettled([stub.ask(async (n) => n), stub.read(), stub.held()]);
      await client.loseAnswer();
      const unknown = { reason: { code: 'OUTCOME_UNKNOWN', message: expect.stringContaining('lost') } };
      expect(await calls).toMatchObject([unknown, unknown, unknown]);
      const [ask, ...others] = await Promise.all([stub.count('ask'), stub.count('read'), stub.count('held')]);
      expect(ask).toBe(1);
      // Both waited for their turn behind it, and may not have begun.
      for (const times of others) expect(times).toBeLessThanOrEqual(1);
    });

    test('on a reference rejects at once: what it stood for went with the connection', async () => {
      using client = await connectedClient();
      const room = await client.stub.openRoom('green');
      const visited = expect(room.visit()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
      await client.loseAnswer();
      await visited;
      await expect(room.visit()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
      expect(await client.stub.count('visit')).toBe(1);
    });

    test.each([
      ['twice has its effect once, and its answer', 2],
      ['three times has its effect once, and is of unknown outcome', 3],
    ])('%s', async (_what, times) => {
      using client = await connectedClient();
      const call = client.stub.increment().then(
        (value) => value,
        ({ code, message }: RpcError) => `${code}: ${message}`,
      );
      for (let n = 0; n < times; n++) await client.loseAnswer();
      expect(await call).toEqual(times < 3 ? 1 : expect.stringMatching(/^OUTCOME_UNKNOWN: it may have run: lost /));
      expect(await client.stub.count('increment')).toBe(1);
      expect(client.connections).toBe(1 + times);
    });
  });

  test('a call that is made while there is no connection waits for one, and is told nothing of it', async () => {
    using client = await connectedClient();
    client.cut();
    await once(client.socket, 'close');
    const [bumped, entered] = [client.stub.bump(), client.stub.openRoom('late').visit()];
    expect(connection(client.stub).state).toBe('reconnecting');
    expect(await bumped).toBe(1);
    expect(await entered).toBe('late 1');
  });

  describe('stored results', () => {
    test('come with the first, and go when their client has told that they have arrived', async () => {
      const url = newUrl();
      using client = await connectedClient(url);
      const { stub } = client;
      expect(await stub.results()).toBe(-1);
      for (let n = 1; n <= 20; n++) expect(await stub.increment()).toBe(n);
      using watcher = await connectedClient(url);
      expect(await watcher.stub.results()).toBe(20);
      const closed = once(client.socket, 'close');
      client.cut();
      await closed;
      expect(await watcher.stub.results()).toBe(20);
      // It tells when it connects again, and with every 256 calls.
      expect(await stub.results()).toBe(0);
      await Promise.all(Array.from({ length: 500 }, () => stub.increment()));
      expect(await watcher.stub.results()).toBe(500);
      expect(await stub.results()).toBe(0);
    });

    test.each([
      ['later', [], 'must not return a promise'],
      ['unstorable', [], 'cannot be stored'],
      ['large', [2_000_000], 'maxResultBytes or maxMessageBytes allow, 1048576'],
    ] as const)('that cannot be stored undo what %s did', async (method, args, message) => {
      using client = await connectedClient();
      // biome-ignore lint/suspicious/noExplicitAny: any of the methods
      await expect((client.stub as any)[method](...args)).rejects.toThrow(message);
      expect(await client.stub.count(method)).toBe(0);
      expect(await client.stub.results()).toBe(0);
    });

    test.each([
      [
        'enter',
        'on a target that no restorable method has found',
        (stub: Stub<DeliveryTarget>) => stub.openRoom('grey').enter(),
      ],
      ['confirm', 'given the result of another call', (stub: Stub<DeliveryTarget>) => stub.confirm(stub.order().id)],
    ] as const)('of %s(), %s, are refused, and nothing is done', async (method, _where, call) => {
      using client = await connectedClient();
      const { stub } = client;
      await expect(call(stub)).rejects.toThrow(
        new TypeError(
          `${method}() is exactlyOnce: call it on the connection's target or on what restorable methods return, with values`,
        ),
      );
      expect(await Promise.all([stub.count('enter'), stub.count('confirm')])).toEqual([0, 0]);
    });
  });

  test('where such a method cannot run, guards are asked first', async () => {
    using client = await connectedClient();
    await expect(client.stub.openRoom('grey').lock()).rejects.toMatchObject({ code: 'DENIED' });
  });

  test.runIf(name === 'delivery').each([
    [1000, ''],
    [1001, 'going away'],
    [4403, ''],
    [4400, 'DENIED: by the application'],
    [4499, 'OVERLOADED: by the application'],
  ])('a socket that the application closes with %d %s is a connection that was lost', async (code, reason) => {
    using client = await connectedClient();
    const { stub } = client;
    const once = stub.incrementAndClose(code, reason);
    expect(await once).toBe(1);
    expect(await stub.count('increment')).toBe(1);
    expect(connection(stub).statistics.reconnects).toBe(1);
    expect(await stub.results()).toBe(1);
  });

  test('a connection that the server ends is lost: its client comes back, and its calls go on as they are declared', async () => {
    using client = await connectedClient();
    const { stub } = client;
    const held = expect(stub.held()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    const closed = once(client.socket, 'close');
    expect(await stub.incrementAndEnd()).toBe(1);
    await held;
    const [code, reason] = await closed;
    expect([code, String(reason)]).toEqual([4002, 'NOT_EXECUTED: the server has ended the connection']);
    expect(await Promise.all([stub.count('increment'), stub.count('held')])).toEqual([1, 1]);
    expect(connection(stub).statistics.reconnects).toBe(1);
  });

  describe('frames that come again', () => {
    const NAME = 'ab'.repeat(16);
    const increment = (id: number, by: number) => `[${id},["increment",[${by}]]]`;
    const again = (frame: string, open: string, ms: unknown) => `{"again":${frame},"open":${open},"ms":${ms}}`;

    async function rawSocket(
      url: string,
      attempt = 1,
    ): Promise<{ socket: WebSocket; answers: AsyncIterableIterator<unknown[]> }> {
      const socket = new WebSocket(url, ['lumenize.rpc.3', `lumenize.client.${NAME}.${attempt}.1`]);
      socket.binaryType = 'arraybuffer';
      const messages = (async function* () {
        for await (const [data] of on(socket, 'message')) {
          yield JSON.parse(String(data));
        }
      })();
      await once(socket, 'open');
      return { socket, answers: messages };
    }

    test('by another connection of the same client run once, and end the one before', async () => {
      const url = newUrl();
      const first = await rawSocket(url);
      first.socket.send(increment(1, 5));
      expect((await first.answers.next()).value).toEqual([-1, 5]);
      const second = await rawSocket(url, 2);
      const [code] = await once(first.socket, 'close');
      expect(code).toBe(4001);
      second.socket.send(again(increment(1, 5), '[1]', 20));
      expect((await second.answers.next()).value).toEqual([-1, 5]);
      second.socket.send(increment(2, 1));
      expect((await second.answers.next()).value).toEqual([-2, 6]);
      second.socket.terminate();
    });

    test.each([
      ['without its calls', '{"again":[],"open":[1],"ms":1}'],
      ['without its open ids', `{"again":${increment(1, 1)},"ms":1}`],
      ['without an age', `{"again":${increment(1, 1)},"open":[1]}`],
      ['inside another one', again(again(increment(1, 1), '[1]', 1), '[1]', 1)],
      ['that holds results', again('[-1,1]', '[1]', 1)],
    ])('%s end the connection of who sends them', async (_what, message) => {
      const { socket } = await rawSocket(newUrl());
      socket.send(message);
      const [code, reason] = await once(socket, 'close');
      expect([code, String(reason)]).toEqual([1007, expect.stringContaining('MALFORMED_FRAME')]);
    });
  });
});
