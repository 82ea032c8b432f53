import { env, SELF } from 'cloudflare:test';
import { connection } from '@lumenize/rpc';
import { routeRpc } from '@lumenize/rpc/server';
import { describe, expect, test } from 'vitest';
import type { CounterApi } from '../../examples/counter/src/counter-api.ts';
import { BATCH_TYPE } from '../../packages/rpc/src/transport/batch.ts';
import { reachedLimiter } from './limiter-object.ts';
import { connectToSelf, upgrade } from './self-transport.ts';

const PAGE_PATH = '/rpc/counter/x';

/** An object that serves RPC, and one that has never heard of it. */
const { COUNTER, LIMITER } = env as unknown as Record<'COUNTER' | 'LIMITER', DurableObjectNamespace>;

/** The code and reason with which a socket is closed. */
async function closed(socket: WebSocket): Promise<{ code: number; reason: string }> {
  const closing = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve, { once: true }));
  socket.accept();
  const { code, reason } = await closing;
  return { code, reason };
}

describe('routing', () => {
  test('finds a binding regardless of case, and with - for _', async () => {
    for (const path of ['/rpc/Counter/same', '/rpc/COUNTER/same', '/rpc/counter/same']) {
      using counter = connectToSelf<CounterApi>(path);
      await counter.increment();
    }
    using counter = connectToSelf<CounterApi>('/rpc/counter/same');
    expect(await counter.getValue()).toBe(3);
    using accepted = connectToSelf<CounterApi>('/rpc/counter-accept/same');
    expect(await accepted.getValue()).toBe(0);
  });

  test('takes an instance by name, decoded, and by id', async () => {
    using byName = connectToSelf<CounterApi>('/rpc/counter/room%20one%2F2');
    await byName.increment();
    using byId = connectToSelf<CounterApi>(`/rpc/counter/${COUNTER.idFromName('room one/2')}`);
    expect(await byId.getValue()).toBe(1);
  });

  test('asks for the object where it is wanted', async () => {
    const asked: unknown[] = [];
    // The platform says nowhere what it was asked for, and here all objects are in one place.
    const noting = new Proxy(COUNTER, {
      get(namespace, name: keyof DurableObjectNamespace) {
        if (name !== 'get') return (namespace[name] as () => void).bind(namespace);
        return (...args: Parameters<typeof namespace.get>) => {
          asked.push(args[1]);
          return namespace.get(...args);
        };
      },
    });
    const call = () => new Request(`http://worker.test${PAGE_PATH}`, { method: 'POST' });
    const answers = [
      await routeRpc(call(), { COUNTER: noting }, { locationHint: 'weur' }),
      await routeRpc(call(), { COUNTER: noting }),
    ];
    expect(asked).toEqual([{ locationHint: 'weur' }, {}]);
    expect(answers.map((answer) => answer?.status)).toEqual([415, 415]);
  });

  test.each([
    ['/rpc', 'such as /rpc/counter/main'],
    ['/rpc/', 'such as /rpc/counter/main'],
    ['/rpc/counter', 'write /rpc/counter/<name>'],
    ['/rpc/counter/', 'write /rpc/counter/<name>'],
    ['/rpc/cuonter/main', 'no Durable Object is bound as "cuonter"'],
    ['/rpc/limiter/main', 'no Durable Object is bound as "limiter"'],
    ['/rpc/unbound/main', 'no Durable Object is bound as "unbound"'],
    ['/rpc/service/main', 'no Durable Object is bound as "service"'],
    ['/rpc/counter/a/b', 'the URL should be /rpc/<binding>/<instance>'],
    [`/rpc/counter/${'f'.repeat(64)}`, 'is the id of no object'],
  ])('tells a client of %s what to write', async (path, message) => {
    using stub = connectToSelf<CounterApi>(path);
    await expect(stub.increment()).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: expect.stringContaining(message),
    });
    const response = await SELF.fetch(`http://worker.test${path}`);
    expect(response.status).toBe(404);
    expect(await response.text()).toContain(message);
  });

  test('tells a client that the class of an object should extend RpcObject', async () => {
    using stub = connectToSelf<CounterApi>('/rpc/unserved/main');
    await expect(stub.increment()).rejects.toMatchObject({
      code: 'NOT_FOUND',
      message: 'the class bound as "unserved" has no fetch(): it should extend RpcObject',
    });
  });

  test.each([
    ['an upgrade', { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': 'lumenize.rpc.3' }, 101],
    ['a visit', {}, 426],
  ])('returns an answer to %s whose headers can be set', async (_what, headers: Record<string, string>, status) => {
    const answer = await routeRpc(new Request(`http://worker.test${PAGE_PATH}`, { headers }), { COUNTER });
    answer!.headers.set('X-Frame-Options', 'DENY');
    expect([answer!.status, answer!.headers.get('X-Frame-Options')]).toEqual([status, 'DENY']);
    if (answer!.webSocket) {
      answer!.webSocket.accept();
      answer!.webSocket.close();
    } else await answer!.text();
  });

  test('leaves other paths to the Worker', async () => {
    const response = await SELF.fetch('http://worker.test/rpcs/counter/x');
    expect([response.status, await response.text()]).toEqual([404, 'Not found']);
  });

  test('tells who comes without an upgrade what to use', async () => {
    const response = await SELF.fetch(`http://worker.test${PAGE_PATH}`);
    expect(response.status).toBe(426);
    expect(await response.text()).toContain('connect()');
  });
});

describe('an object that serves no RPC', () => {
  const requests: [what: string, init: RequestInit][] = [
    ['a PUT', { method: 'PUT', body: '{"limit":1e9}' }],
    ['a visit', {}],
    ['a POST', { method: 'POST', body: '{"limit":1e9}' }],
    ['a batch', { method: 'POST', body: '', headers: { 'Content-Type': BATCH_TYPE } }],
    ['an upgrade', { headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': 'lumenize.rpc.3' } }],
    ['an upgrade of another protocol', { headers: { Upgrade: 'websocket' } }],
  ];

  test.each(requests)('is not reached by %s, and not woken', async (what, init) => {
    const headers = { ...init.headers, Authorization: 'Bearer of a user' };
    const request = () =>
      new Request(`http://worker.test/rpc/limiter/${encodeURIComponent(what)}`, { ...init, headers });
    const answers = [
      await routeRpc(request(), { COUNTER, LIMITER }, { bindings: ['COUNTER'] }),
      await routeRpc(request(), { COUNTER }),
      // A tool's.
      await routeRpc(request(), { COUNTER, __LIMITER: LIMITER }),
    ];
    expect(reachedLimiter(LIMITER.idFromName(what))).toEqual([]);
    for (const answer of answers) {
      if (!answer!.webSocket) expect(answer!.status).toBe(404);
      else expect(await closed(answer!.webSocket)).toMatchObject({ reason: expect.stringMatching(/^NOT_FOUND: /) });
    }
  });

  test('is not reached for want of a list: routeRpc throws, and names the choices', async () => {
    const request = new Request('http://worker.test/rpc/counter/main');
    const why = "routeRpc: name those Durable Objects that serve RPC: { bindings: ['COUNTER'] }";
    await expect(routeRpc(request, { COUNTER, LIMITER, TOKEN: 'of the Worker' })).rejects.toThrow(new TypeError(why));
    const text = routeRpc(request, { COUNTER, LIMITER }, { bindings: 'COUNTER' as never });
    await expect(text).rejects.toThrow(TypeError);
  });
});

describe('an object that serves RPC', () => {
  test.each<[what: string, status: number, init: RequestInit]>([
    ['a visit', 426, {}],
    ['a POST of JSON', 415, { method: 'POST', body: '{}', headers: { 'Content-Type': 'application/json' } }],
    ...['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS'].map((method): [string, number, RequestInit] => [
      method,
      405,
      { method },
    ]),
    ['an upgrade by another method', 405, { method: 'PUT', headers: { Upgrade: 'websocket' } }],
  ])('is not woken by what is neither an upgrade nor a batch: %s gets %i', async (_what, status, init) => {
    const request = new Request('http://worker.test/rpc/limiter/visited', init);
    // The limiter stands for the class, since it notes what reaches it.
    const answer = await routeRpc(request, { LIMITER });
    expect([answer!.status, reachedLimiter(LIMITER.idFromName('visited'))]).toEqual([status, []]);
    if (status === 405) expect(answer!.headers.get('Allow')).toBe('GET, POST');
  });

  test.each<[what: string, init: RequestInit, headers: string[]]>([
    [
      'an upgrade',
      { headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': 'lumenize.rpc.3', 'Sec-WebSocket-Key': 'key' } },
      ['sec-websocket-extensions', 'sec-websocket-protocol', 'upgrade'],
    ],
    [
      'a batch',
      { method: 'POST', body: 'x', headers: { 'Content-Type': BATCH_TYPE, 'Content-Length': '1' } },
      ['content-length', 'content-type'],
    ],
    ["a batch of Cap'n Web", { method: 'POST', body: 'x' }, ['content-type']],
  ])('gets of %s the headers that it needs, and no others', async (_what, init, needed) => {
    const secret = {
      Authorization: 'Bearer of a user',
      Cookie: 'session=1',
      Origin: 'http://worker.test',
      'X-Own': '1',
    };
    let got: Request | undefined;
    const ROOM = {
      idFromName: () => 'id',
      get: () => ({
        async fetch(request: Request) {
          got = request;
          return new Response('served');
        },
      }),
    };
    const request = new Request('http://worker.test/rpc/room/one?a=b', {
      ...init,
      headers: { ...secret, ...init.headers },
    });
    expect((await routeRpc(request, { ROOM }))?.status).toBe(200);
    expect([...got!.headers.keys()]).toEqual(needed);
    const body = new TextDecoder().decode(await got!.arrayBuffer());
    expect([got!.url, got!.method, body]).toEqual([request.url, request.method, init.body ?? '']);
  });
});

describe('the version of the protocol', () => {
  test('is negotiated when connecting', async () => {
    const response = await SELF.fetch(`http://worker.test${PAGE_PATH}`, {
      headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': 'lumenize.rpc.4, lumenize.rpc.3' },
    });
    expect(response.headers.get('Sec-WebSocket-Protocol')).toBe('lumenize.rpc.3');
    response.webSocket?.accept();
    response.webSocket?.close();
  });

  test('that is not spoken here closes the socket and says so', async () => {
    const socket = await upgrade(PAGE_PATH, { 'Sec-WebSocket-Protocol': 'lumenize.rpc.99' });
    expect(await closed(socket)).toEqual({
      code: 4400,
      reason: expect.stringMatching(/^VERSION_MISMATCH: .*version 3 .*: reload the page, or update the older side$/),
    });
  });

  test('is required', async () => {
    const response = await SELF.fetch(`http://worker.test${PAGE_PATH}`, { headers: { Upgrade: 'websocket' } });
    expect(response.status).toBe(426);
  });
});

describe('access', () => {
  test('is refused to pages of other origins, before the object is woken', async () => {
    const socket = await upgrade(PAGE_PATH, { Origin: 'https://evil.test' });
    expect(await closed(socket)).toMatchObject({ code: 4400, reason: expect.stringMatching(/^DENIED: /) });
    const same = await upgrade(PAGE_PATH, { Origin: 'http://worker.test' });
    same.accept();
    same.close();
  });

  test('is refused where authentication finds nobody', async () => {
    using stub = connectToSelf<CounterApi>('/guarded/guarded/one');
    await expect(stub.increment()).rejects.toMatchObject({ code: 'DENIED' });
    const response = await SELF.fetch('http://worker.test/guarded/guarded/one?user=redirected');
    expect(response.status).toBe(401);
  });

  test('gives each caller a target made for its identity', async () => {
    using ada = connectToSelf<{ whoAmI(): unknown }>('/guarded/guarded/one?user=ada');
    expect(await ada.whoAmI()).toEqual({ user: 'ada', since: new Date(0) });
    using mallory = connectToSelf<{ whoAmI(): unknown }>('/guarded/guarded/one?user=mallory');
    await expect(mallory.whoAmI()).rejects.toMatchObject({
      code: 'DENIED',
      message: 'mallory may not use this object',
    });
  });

  test('that fails by a defect is tried again, with its message and nothing else', async () => {
    using broken = connectToSelf<{ whoAmI(): unknown }>('/guarded/guarded/one?user=broken', {
      reconnect: true,
      maxWaitMs: 200,
    });
    await expect(broken.whoAmI()).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringContaining('target() failed: a defect of the class'),
      data: undefined,
    });
    expect(connection(broken).state).not.toBe('closed');
  });

  test('cannot be claimed by a header', async () => {
    const socket = await upgrade('/guarded/guarded/one?user=ada', {
      lumenizeIdentity: '{"user":"root"}',
      'cf-lumenizeIdentity': '{"user":"root"}',
    });
    socket.accept();
    socket.close();
    using ada = connectToSelf<{ whoAmI(): unknown }>('/guarded/guarded/one?user=ada');
    expect(await ada.whoAmI()).toMatchObject({ user: 'ada' });
  });
});

describe('a class that composes the server', () => {
  test('serves RPC, with a target of the platform, beside sockets of its own', async () => {
    using stub = connectToSelf<{ hello(): string }>('/rpc/composed/one');
    expect(await stub.hello()).toBe('hello');

    const own = await upgrade('/rpc/composed/one', { 'Sec-WebSocket-Protocol': '' });
    const answer = new Promise<MessageEvent>((resolve) => own.addEventListener('message', resolve, { once: true }));
    own.accept();
    own.send('hi');
    expect((await answer).data).toBe('echo hi');
    own.close();
  });
});
