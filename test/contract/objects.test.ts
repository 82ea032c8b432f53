import { connect, connection } from '@lumenize/rpc';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { serveObjects } from './serve.ts';

type Any = ReturnType<typeof JSON.parse>;

let worker: Awaited<ReturnType<typeof serveObjects>>;
let instance = 0;
const opened: Any[] = [];

beforeAll(async () => {
  worker = await serveObjects();
});

afterAll(() => worker?.[Symbol.asyncDispose]());

beforeEach(() => {
  instance++;
  return () => {
    for (const stub of opened.splice(0)) stub[Symbol.dispose]();
  };
});

function open(name?: string, options = {}, path = `/rpc/desk/d${instance}`): Any {
  const stub = connect(worker.url(path), {
    token: name as string,
    reconnect: { minDelayMs: 10, maxDelayMs: 50 },
    ...options,
  });
  opened.push(stub);
  return stub;
}

describe('an object that has hibernated', () => {
  test('knows its callers, and serves the next frame', async () => {
    const ada = open('ada');
    const wakes = await ada.wakes();
    await worker.evict();
    expect(await Promise.all([ada.name(), ada.wakes()])).toEqual(['ada', wakes + 1]);
    expect(connection(ada).statistics.reconnects).toBe(0);
  });

  test('finds places again, and has lost references and steps', async () => {
    const ada = open('ada');
    const place = await ada.drawer('letters');
    const reference = await ada.paper();
    const step = ada.paper();
    await step.label();
    await worker.evict();
    expect(await place.label()).toBe("ada's letters");
    await expect(reference.label()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    await expect(step.label()).rejects.toMatchObject({ code: 'REFERENCE_LOST' });
    const again = await ada.paper();
    expect(await again.label()).toBe('paper');
  });

  test('goes on with subscriptions, also of callers that say nothing', async () => {
    const [ada, bob] = [open('ada'), open('bob')];
    using bell = await ada.listen();
    await bob.name();
    await worker.evict();
    await bob.ring('dinner');
    expect(await bell.next()).toMatchObject({ value: { event: 'dinner' } });
    expect(await bob.open()).toEqual(
      expect.arrayContaining([
        { name: 'ada', topics: ['bell'] },
        { name: 'bob', topics: [] },
      ]),
    );
  });

  test('tells of the end of connections from before', async () => {
    const [ada, bob] = [open('ada'), open('bob')];
    await Promise.all([ada.name(), bob.name()]);
    await worker.evict();
    connection(ada).close();
    await expect.poll(() => bob.log()).toEqual(['-ada']);
  });

  test('calls functions of its clients, with ids that no life before has given', async () => {
    const ada = open('ada');
    const listener = async (told: string) => `${told} back`;
    expect(await ada.call(listener)).toBe('hello back');
    await worker.evict();
    expect(await ada.call(listener)).toBe('hello back');
  });
});

describe('the connections of an object', () => {
  test('are told of, listed and counted', async () => {
    const [ada, bob] = [open('ada'), open('bob')];
    // Held: a subscription that is collected ends.
    using _bell = await ada.listen();
    await bob.name();
    expect(await ada.open()).toEqual([
      { name: 'ada', topics: ['bell'] },
      { name: 'bob', topics: [] },
    ]);
    await ada.denied().catch(() => {});
    expect(await bob.metrics()).toMatchObject({
      connections: 2,
      hibernating: 0,
      callsInFlight: 0,
      callsFailed: 1,
      refused: { DENIED: 1 },
    });
    await worker.evict();
    expect(await bob.metrics()).toMatchObject({ connections: 2, hibernating: 1, callsSucceeded: 0, refused: {} });
    connection(ada).close();
    await expect.poll(async () => (await bob.metrics()).connections).toBe(1);
  });

  test('can be closed: their clients come back', async () => {
    const [ada, bob] = [open('ada'), open('bob')];
    await ada.name();
    await bob.closeOthers();
    await expect.poll(() => connection(ada).statistics.reconnects).toBe(1);
    expect(await ada.name()).toBe('ada');
    expect(await bob.log()).toEqual(['+ada', '+bob', '-ada', '+ada']);
  });

  test('are limited: others are refused, and may come again', async () => {
    const four = [open('1'), open('2'), open('3'), open('4')];
    await Promise.all(four.map((each) => each.name()));
    const fifth = open('5', { maxWaitMs: 100 });
    await expect(fifth.name()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('maxConnections of 4 exceeded'),
    });
    connection(four[0]).close();
    await expect.poll(async () => (await four[1].metrics()).connections).toBeGreaterThanOrEqual(3);
    const sixth = open('6');
    expect(await sixth.name()).toBe('6');
    expect((await four[1].metrics()).refused).toMatchObject({ maxConnections: expect.any(Number) });
  });

  test('do not depend on hooks that throw', async () => {
    expect(await open('trouble').name()).toBe('trouble');
  });
});

describe('subscriptions', () => {
  test('can be ended by the server, one topic of one caller', async () => {
    const [ada, bob] = [open('ada'), open('bob')];
    using adas = await ada.listen();
    using bobs = await bob.listen();
    await bob.hush('ada');
    await bob.ring('dinner');
    await expect(adas.next()).rejects.toMatchObject({ code: 'DENIED' });
    expect(await adas.next()).toEqual({ done: true, value: undefined });
    expect(await bobs.next()).toMatchObject({ value: { event: 'dinner' } });
    expect(await ada.open()).toEqual([
      { name: 'ada', topics: [] },
      { name: 'bob', topics: ['bell'] },
    ]);
    await bob.closeOthers();
    await expect.poll(() => connection(ada).statistics.reconnects).toBe(1);
    expect((await ada.open()).flatMap(({ topics }: Any) => topics)).toEqual(['bell']);
  });
});

describe('a drain', () => {
  test('lets calls settle, and all clients come back, with their places and subscriptions', async () => {
    const [ada, bob] = [open('ada'), open('bob')];
    const [bell, place] = await Promise.all([ada.listen(), ada.drawer('letters')]);
    const slow = ada.slow(100);
    await bob.drain();
    const meanwhile = ada.once();
    expect(await slow).toBe(100);
    expect(await meanwhile).toBe(1);
    expect(await place.label()).toBe("ada's letters");
    await expect.poll(() => connection(bob).statistics.reconnects).toBe(1);
    await bob.ring('dinner');
    expect(await bell.next()).toMatchObject({ value: { event: 'dinner' } });
    expect(connection(ada).statistics.reconnects).toBe(1);
    expect((await ada.metrics()).connections).toBe(2);
  });

  test('reaches those that hibernate', async () => {
    const [ada, bob] = [open('ada'), open('bob')];
    await Promise.all([ada.name(), bob.name()]);
    await worker.evict();
    await bob.drain();
    await expect.poll(() => connection(ada).statistics.reconnects).toBe(1);
    expect(await ada.name()).toBe('ada');
  });
});

describe('calls of one turn whose methods wait for storage', () => {
  const TEN = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10];
  const gated = () => open(undefined, {}, `/rpc/gated/g${instance}`);

  test('see what those before them have written', async () => {
    const register = gated();
    expect(await Promise.all(TEN.map(() => register.increment()))).toEqual(TEN);
  });

  test('also where their receivers are late, and in callbacks of map', async () => {
    const register = gated();
    const late = TEN.map(() => register.later().increment());
    expect((await Promise.all(late)).sort((one, other) => one - other)).toEqual(TEN);
    const mapped = await register.list(10).map(() => register.increment());
    expect(mapped.sort((one: number, other: number) => one - other)).toEqual(TEN.map((n) => n + 10));
  });

  test('run beside each other where they wait for something else', async () => {
    const register = gated();
    expect(await Promise.all([register.together(3), register.together(3), register.together(3)])).toEqual([3, 3, 3]);
  });

  test('from several clients', async () => {
    const two = [gated(), gated()];
    const counts = await Promise.all(two.flatMap((register) => TEN.map(() => register.increment())));
    expect(counts.sort((one, other) => one - other)).toEqual(Array.from({ length: 20 }, (_, n) => n + 1));
  });
});

describe('a server that fails', () => {
  test.each([
    ['options', 'the options of the server failed: maxReferences needs a number, 0 or more'],
    ['target', 'target() failed: no target today'],
  ])('by its %s refuses connections, and its clients come back until it is repaired', async (name, message) => {
    const stub = open(undefined, { maxWaitMs: 200 }, `/rpc/faulty/${name}`);
    await expect(stub.label()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining(message),
    });
    await fetch(worker.http(`/repair?name=${name}`));
    await expect.poll(() => stub.label().catch(() => undefined)).toBe('repaired');
  });

  test('by authenticate() does not say why, and its clients come back', async () => {
    const stub = open('throws', { maxWaitMs: 200 });
    await expect(stub.name()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('could not find out who is calling'),
    });
  });

  test('to know the caller refuses it for good', async () => {
    const stub = open('nobody');
    await expect(stub.name()).rejects.toThrow('authentication failed');
    expect(connection(stub)).toMatchObject({ state: 'closed', reason: { code: 'DENIED' } });
    await expect(stub.name()).rejects.toMatchObject({ code: 'DENIED' });
  });
});

describe('routing', () => {
  const get = async (path: string, init?: RequestInit) => {
    const response = await fetch(worker.http(path), init);
    return [response.status, (await response.text()).trim()];
  };

  test.each([
    ['/', 404, 'elsewhere'],
    ['/rpcs/desk/a', 404, 'elsewhere'],
    ['/rpc', 404, 'the URL should be /rpc/<binding>/<instance>, such as /rpc/counter/main'],
    ['/rpc/desk', 404, 'an instance is missing: write /rpc/desk/<name>'],
    ['/rpc/desk/a/b', 404, 'the URL should be /rpc/<binding>/<instance>, such as /rpc/counter/main'],
    ['/rpc/plain/a', 404, 'no Durable Object is bound as "plain": see wrangler.toml, and bindings of routeRpc'],
    ['/rpc/toString/a', 404, 'no Durable Object is bound as "toString": see wrangler.toml, and bindings of routeRpc'],
    ['/rpc/__proto__/a', 404, 'no Durable Object is bound as "__proto__": see wrangler.toml, and bindings of routeRpc'],
    [`/rpc/desk/${'0'.repeat(64)}`, 404, `${'0'.repeat(64)} is the id of no object of desk`],
    ['/rpc/desk/a', 426, "This is an RPC endpoint: connect to it with connect() of '@lumenize/rpc'."],
    ['/rpc/DESK/%E0%A4%A', 426, "This is an RPC endpoint: connect to it with connect() of '@lumenize/rpc'."],
  ])('%s is %i', async (path, status, text) => {
    expect(await get(path)).toEqual([status, text]);
  });

  test('reaches no object that was not named, by no method', async () => {
    for (const method of ['GET', 'POST', 'PUT', 'DELETE']) {
      expect(await get('/rpc/plain/a', { method })).toEqual([404, expect.stringContaining('no Durable Object')]);
    }
    expect(await get('/rpc/desk/a', { method: 'PUT' })).toEqual([405, expect.any(String)]);
    expect(await get('/rpc/desk/a', { method: 'POST', headers: { 'Content-Type': 'application/json' } })).toEqual([
      415,
      expect.any(String),
    ]);
  });

  test('of several objects has to be told which', async () => {
    expect((await get('/unnamed/desk/a'))[0]).toBe(500);
  });

  test('passes on what authenticate() answers itself', async () => {
    expect(await get('/rpc/desk/a', { headers: { Authorization: 'Bearer response' } })).toEqual([418, 'teapot']);
  });

  test('lets no page of another origin in, unless it is allowed', async () => {
    expect(await get('/rpc/desk/a', { headers: { Origin: 'https://evil.example' } })).toEqual([
      403,
      'pages of this origin may not connect: see allowedOrigins of routeRpc',
    ]);
  });

  test('refuses tokens that are too long, or several', async () => {
    const bearer = (token: string) => get('/rpc/desk/a', { headers: { Authorization: `Bearer ${token}` } });
    expect(await bearer('x'.repeat(8193))).toEqual([500, 'a token has at most 8192 characters']);
    expect((await bearer('x'.repeat(8192)))[0]).toBe(426);
    expect((await bearer('lumenize.token.'))[0]).toBe(403);
  });
});
