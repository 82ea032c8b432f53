import { env, runInDurableObject } from 'cloudflare:test';
import { exports } from 'cloudflare:workers';
import { connection, type RpcError, type RpcTarget, type Stub } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { expiring } from '@lumenize/rpc/server';
import { TestNetwork } from '@lumenize/rpc/testing';
import { connectToObject, connectToWorker, crash, hibernate, openObject, restart } from '@lumenize/rpc/testing/workers';
import { describe, expect, expectTypeOf, test } from 'vitest';
import type { CounterApi } from '../../examples/counter/src/counter-api.ts';
import type { CounterLumenize } from '../../examples/counter/src/counter-lumenize.ts';
import type { OpenedObject } from './opened-object.ts';
import type { GuardedObject } from './worker.ts';

const { COUNTER, GUARDED, OPENED } = env as unknown as {
  COUNTER: DurableObjectNamespace<CounterLumenize>;
  GUARDED: DurableObjectNamespace<GuardedObject>;
  OPENED: DurableObjectNamespace<OpenedObject>;
};
const worker = (exports as unknown as { default: { fetch(request: Request): Promise<Response> } }).default;

describe('a client of an object', () => {
  test('talks to it over a real socket, and has the type of what it serves', async () => {
    using counter = connectToObject(COUNTER.getByName('typed'));
    expect(await counter.increment(2)).toBe(2);
    expectTypeOf(await counter.getValue()).toEqualTypeOf<number>();
    using said = connectToObject<Pick<CounterApi, 'getValue'>>(() => COUNTER.getByName('typed'));
    expectTypeOf(said).not.toHaveProperty('increment');
    expect(await said.getValue()).toBe(2);
    const sockets = await runInDurableObject(COUNTER.getByName('typed'), (_object, ctx) => ctx.getWebSockets().length);
    expect(sockets).toBe(2);
  });

  test('is whom it says, as by a Worker', async () => {
    interface Guarded {
      whoAmI(): unknown;
    }
    const identity = { user: 'ada', since: new Date(0) };
    using guarded = connectToObject<Guarded>(GUARDED.getByName('testing'), { identity });
    expect(await guarded.whoAmI()).toEqual(identity);
    using refused = connectToObject<Guarded>(GUARDED.getByName('testing'), { identity: { user: 'mallory' } });
    await expect(refused.whoAmI()).rejects.toMatchObject({ code: 'DENIED' });
  });

  test('is of the identity that the class of the object knows', async () => {
    const object = GUARDED.getByName('identities');
    const identity = { user: 'ada', since: new Date(0) };
    using known = connectToObject(object, { identity: expiring(identity, Date.now() + 60_000) });
    expectTypeOf(known).toEqualTypeOf<Stub<RpcTarget>>();
    expect(connection(known).state).toBe('idle');
    // @ts-expect-error the class knows since when, too
    using _partly = connectToObject(object, { identity: { user: 'ada' } });
    // @ts-expect-error where the API is said, too, if the class is said beside it
    using _said = connectToObject<RpcTarget, GuardedObject>(object, { identity: { user: 'ada' } });
    using anybody = connectToObject(OPENED.getByName('identities'), { identity: 'who its class does not ask for' });
    expect(await anybody.lives()).toBe(1);
  });

  test('goes through a network of the test', async () => {
    const network = new TestNetwork();
    using counter = connectToObject(COUNTER.getByName('recorded'), { wrapTransport: network.wrap });
    expect(await counter.getValue()).toBe(0);
    expect(network.transcript()).toBe('up [1,["getValue",[]]]\ndown [-1,0]');
  });

  test('is told at once by what it is not let in', async () => {
    const closed = { fetch: async () => new Response('closed on Sundays', { status: 403 }) };
    using stub = connectToWorker(closed, '/rpc/counter/main');
    await expect(stub.increment()).rejects.toMatchObject({
      code: 'DENIED',
      message: expect.stringContaining('closed on Sundays'),
    });
  });
});

test('a client of the Worker goes through its routing and its authentication', async () => {
  using counter = connectToWorker<CounterApi>(worker, '/rpc/counter/routed');
  expect(await counter.increment()).toBe(1);
  using guarded = connectToWorker(worker, '/guarded/guarded/routed?user=ada');
  expect(await guarded.whoAmI()).toEqual({ user: 'ada', since: new Date(0) });
  using nowhere = connectToWorker(worker, '/rpc/cuonter/routed');
  await expect(nowhere.increment()).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a client by a binding loses its connection too, and its next call makes another', async () => {
  const network = new TestNetwork();
  using counter = connectBinding<CounterApi>(COUNTER.getByName('bound'), { wrapTransport: network.wrap });
  expect(await counter.increment()).toBe(1);
  const call = expect(counter.increment()).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
  network.cutDuring('down');
  await call;
  expect(await counter.increment()).toBe(3);
  expect(network.frames.map((frame) => frame.connection)).toEqual([1, 1, 1, 2, 2]);
});

describe('an object', () => {
  test('that hibernates has lost its memory, and neither its sockets nor what is stored', async () => {
    const object = OPENED.getByName('hibernating');
    using stub = connectToObject(object);
    expect(await stub.lives()).toBe(1);
    expect(await stub.remember('one')).toBe(1);
    await hibernate(object);
    expect([await stub.remember('two'), await stub.lives()]).toEqual([1, 2]);
    expect(connection(stub).statistics.reconnects).toBe(0);
  });

  test('that sleeps already hibernates on, and restarts', async () => {
    const object = OPENED.getByName('sleeping');
    await hibernate(object); // nobody has woken it yet
    using stub = connectToObject(object);
    expect(await stub.lives()).toBe(1);
    await hibernate(object);
    await hibernate(object);
    expect([await stub.lives(), connection(stub).statistics.reconnects]).toEqual([2, 0]);
    await hibernate(object);
    await restart(object, stub);
    await stub.lives();
    expect(connection(stub).statistics.reconnects).toBe(1);
  });

  test('that restarts has lost its sockets too, and clients connect again', async () => {
    const object = OPENED.getByName('restarting');
    using stub = connectToObject(object);
    await stub.remember('one');
    await restart(object, stub);
    expect([await stub.remember('two'), await stub.lives()]).toEqual([1, 2]);
    expect(connection(stub).statistics.reconnects).toBe(1);
  });

  test('that crashes waits for nothing: the outcome of what runs is unknown', async () => {
    const object = () => OPENED.getByName('crashing');
    using stub = connectToObject(object);
    await stub.remember('one');
    const forever = stub.forever();
    // With the call before it, so that it has begun.
    await stub.remember('two');
    const outcome = expect(forever).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await crash(object(), stub);
    await outcome;
    expect([await stub.remember('three'), await stub.lives()]).toEqual([1, 2]);
  });

  test('that crashes ends a client that has its stub only, and says why', async () => {
    const object = OPENED.getByName('crashing under a stub');
    using stub = connectToObject(object);
    await stub.remember('one');
    const forever = stub.forever();
    await stub.remember('two');
    const outcome = expect(forever).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await crash(object, stub);
    await outcome;
    expect(connection(stub).state).toBe('closed');
    await expect(stub.lives()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('give connectToObject() a function that returns a new one'),
    });
  });

  test('that has crashed cannot crash again through the same stub: that is told, and nobody waits', async () => {
    const object = OPENED.getByName('crashing twice');
    using stub = connectToObject(() => OPENED.getByName('crashing twice'));
    await stub.remember('one');
    await crash(object, stub);
    expect(await stub.lives()).toBe(2);
    await expect(crash(object, stub)).rejects.toThrow('pass a new one');
    expect([await stub.lives(), connection(stub).statistics.reconnects]).toEqual([2, 1]);
  });

  test.each(['up', 'down'] as const)(
    'runs an exactly-once method once, where the connection is lost in the middle of its frame %s',
    async (direction) => {
      const network = new TestNetwork();
      const object = OPENED.getByName(`lost ${direction}`);
      using stub = connectToObject(object, { wrapTransport: network.wrap });
      await stub.lives();
      network.cutDuring(direction);
      expect(await stub.pay(5)).toBe(5);
      expect(await openObject(object).ctx.storage.kv.get('paid')).toBe(5);
      expect(connection(stub).statistics.reconnects).toBe(1);
      network.cutDuring(direction);
      await expect(stub.remember('what?')).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    },
  );
});

describe('an object that is opened', () => {
  test('shows its storage, its bindings, its private state and what is not remote', async () => {
    const object = OPENED.getByName('opened');
    using stub = connectToObject(object);
    await stub.pay(3);
    await stub.remember('one');
    const whole = openObject(object);
    expect(await whole.ctx.storage.kv.get('paid')).toBe(3);
    expect(await whole.ctx.storage.sql.exec('SELECT 1 AS one').toArray()).toEqual([{ one: 1 }]);
    expect(await whole.memory).toEqual(['one']);
    expect(await whole.memory.at(-1).toUpperCase()).toBe('ONE');
    expect(await whole.secret('of the test')).toBe('a secret of the test');
    expect(await whole.env.COUNTER.getByName('other').constructor.name).toBe('DurableObject');
    await whole.ctx.storage.transactionSync(() => {});
    await whole.ctx.storage.put('paid', 7);
    expect(await whole.ctx.storage.get('paid')).toBe(7);
  });

  test('has types where one says what is looked at', async () => {
    const whole = openObject<{ ctx: DurableObjectState; memory: string[] }>(OPENED.getByName('opened and typed'));
    expectTypeOf(await whole.memory).toEqualTypeOf<string[]>();
    expectTypeOf(await whole.ctx.storage.getAlarm()).toEqualTypeOf<number | null>();
    expect(await whole.ctx.storage.getAlarm()).toBeNull();
  });

  test('gives copies: what is no value stays in it, and says so', async () => {
    const whole = openObject(OPENED.getByName('opened twice'));
    (await whole.memory).push('of the test');
    expect(await whole.memory).toEqual([]);
    await expect(whole.ctx.storage.then()).rejects.toThrow('object.ctx.storage stays in the object');
    await expect(whole.nothing.at.then()).rejects.toThrow('object.nothing is undefined');
    await expect(whole.memory().then()).rejects.toThrow('object.memory is no function');
  });

  test('keeps closed what JavaScript keeps closed', async () => {
    expect(await openObject(OPENED.getByName('opened'))['#closed']).toBeUndefined();
  });
});

test('what a test may open stays closed to every request, also while the test looks at it', async () => {
  const object = OPENED.getByName('closed');
  await openObject(object).secret('for the test');
  using direct = connectToObject(object);
  using routed = connectToWorker(worker, '/rpc/opened/closed');
  const names = ['ctx', 'env', 'memory', 'secret', 'fetch', 'target', '__proto__', 'rpcOptions'];
  // biome-ignore lint/suspicious/noExplicitAny: none of the names is of the type
  for (const stub of [direct, routed] as any[]) {
    for (const name of names) {
      const outcomes = await Promise.allSettled([stub[name], stub[name](), stub.self()[name], stub.self()[name]('x')]);
      for (const outcome of outcomes) {
        expect(outcome.status, name).toBe('rejected');
        expect((outcome as { reason: RpcError }).reason.code, name).toBe('METHOD_NOT_FOUND');
      }
    }
  }
  for (const query of ['?open', '?testing=1', '?lumenize-open=true']) {
    const response = await object.fetch(`http://object.test/${query}`, { headers: { 'X-Lumenize-Testing': '1' } });
    expect(response.status).toBe(426);
  }
});
