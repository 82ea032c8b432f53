import { env, evictDurableObject, runInDurableObject, SELF } from 'cloudflare:test';
import { fetchDescription } from '@lumenize/inspect';
import { connection, type Stub } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import { connectHttp } from '@lumenize/rpc/http';
import { createRpcServer, expiring, type RpcMetrics } from '@lumenize/rpc/server';
import { describe, expect, test, vi } from 'vitest';
import { SUBPROTOCOL } from '../../packages/rpc/src/protocol.ts';
import { checkedCalls } from '../access/cases.ts';
import { CheckedTarget, type User } from '../access/checked-target.ts';
import { type AccessTarget, signedToken } from './access-object.ts';
import { connectToSelf, upgrade } from './self-transport.ts';

const { ACCESS } = env as unknown as { ACCESS: DurableObjectNamespace };
const VERSION = SUBPROTOCOL;

/** A token as a client offers it. */
const offered = (token: string) => {
  const bytes = String.fromCharCode(...new TextEncoder().encode(token));
  return `lumenize.token.${btoa(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')}`;
};

function connect(instance: string, token: string | undefined): Stub<AccessTarget> {
  return connectToSelf<AccessTarget>(`/with-token/access/${instance}`, {
    reconnect: { minDelayMs: 1, maxDelayMs: 10 },
    ...(token !== undefined && { token }),
  });
}

const overHttp = (instance: string, token: string) =>
  connectHttp<AccessTarget>(`http://worker.test/with-token/access/${instance}`, {
    fetch: (url, init) => SELF.fetch(url, init),
    token,
  });

async function lives(instance: string): Promise<number> {
  return (await SELF.fetch(`http://worker.test/access-lives/${instance}`)).json();
}

let instance = 0;
checkedCalls(
  'in workerd',
  (user: User = { name: 'guest' }) => connect(`checked-${++instance}`, signedToken(user)) as never,
);

describe('a token', () => {
  test('says who the caller is, over a socket and by HTTP, and does not reach the object', async () => {
    const token = signedToken({ name: 'Zoë ✓' });
    using socket = connect('known', token);
    expect(await socket.whoAmI()).toEqual({ identity: { name: 'Zoë ✓' }, expires: false });
    using batches = overHttp('known', signedToken({ name: 'Zoe', expiresInMs: 60_000 }));
    expect(await batches.whoAmI()).toEqual({ identity: { name: 'Zoe' }, expires: true });
    const fetch = (url: string, init: RequestInit) => SELF.fetch(url, init);
    await fetchDescription('http://worker.test/with-token/access/known', { token, fetch });
    // No client shows its token like this, but it is taken.
    await fetch('http://worker.test/with-token/access/known', {
      method: 'POST',
      headers: { 'Sec-WebSocket-Protocol': offered(token) },
    });
    const [protocols, ...authorizations] = await socket.offered();
    expect(authorizations).toEqual(['null', 'null', 'null']);
    expect(protocols).toMatch(/^lumenize\.rpc\.3, lumenize\.client\.[0-9a-f]{32}\.1\.\d+, lumenize\.rpc\.refused$/);
  });

  const refused: [what: string, headers: Record<string, string>, code: string, init?: object][] = [
    ['no token', { 'Sec-WebSocket-Protocol': VERSION }, 'DENIED'],
    ['one that nobody signed', { 'Sec-WebSocket-Protocol': `${VERSION}, ${offered('{"name":"root"}')}` }, 'DENIED'],
    ['no base64url', { 'Sec-WebSocket-Protocol': `${VERSION}, lumenize.token.!!!!` }, 'DENIED'],
    ['base64url cut short', { 'Sec-WebSocket-Protocol': `${VERSION}, lumenize.token.A` }, 'DENIED'],
    ['no UTF-8', { 'Sec-WebSocket-Protocol': `${VERSION}, lumenize.token._____w` }, 'DENIED'],
    ['an empty one', { 'Sec-WebSocket-Protocol': `${VERSION}, lumenize.token.` }, 'DENIED'],
    [
      'two of them',
      {
        'Sec-WebSocket-Protocol': [VERSION, ...['ada', 'eve'].map((name) => offered(signedToken({ name })))].join(', '),
      },
      'DENIED',
    ],
    [
      'an expired one',
      { 'Sec-WebSocket-Protocol': `${VERSION}, ${offered(signedToken({ name: 'ada', expiresInMs: -1 }))}` },
      'EXPIRED',
    ],
    [
      'one on which authentication fails',
      { 'Sec-WebSocket-Protocol': `${VERSION}, ${offered('broken')}` },
      'NOT_EXECUTED',
    ],
    [
      'one whose identity cannot be sent',
      { 'Sec-WebSocket-Protocol': `${VERSION}, ${offered('of a class')}` },
      'NOT_EXECUTED',
    ],
    ['headers that claim an identity', { lumenizeIdentity: '{"name":"root"}', 'cf-lumenizeIdentity': '{}' }, 'DENIED'],
    ['a property of cf that claims one', {}, 'DENIED', { cf: { lumenizeIdentity: '{"name":"root"}' } }],
  ];

  test.each(refused)('is refused before the object is made, where it is %s', async (what, headers, code, init) => {
    const name = `refused ${what}`;
    const response = await SELF.fetch(`http://worker.test/with-token/access/${encodeURIComponent(name)}`, {
      ...init,
      headers: { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': VERSION, ...headers },
    });
    const socket = response.webSocket!;
    const closing = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve, { once: true }));
    socket.accept();
    const { code: status, reason } = await closing;
    expect([status, reason]).toEqual([
      code === 'EXPIRED' ? 4401 : 4400,
      expect.stringMatching(new RegExp(`^${code}: `)),
    ]);
    expect(reason).not.toContain('secret');
    const isGiven = !what.startsWith('no token') && !what.includes('claim');
    expect(reason.includes('no token was given')).toBe(!isGiven);
    expect(await lives(name)).toBe(0);
  });

  test.each([
    ['nobody signed', 'x', 'DENIED'],
    ['has expired', signedToken({ name: 'ada', expiresInMs: -1 }), 'EXPIRED'],
  ])('is refused by HTTP, before the object is made, where it %s', async (what, token, code) => {
    using stub = overHttp(`http ${what}`, token);
    await expect(stub.whoAmI()).rejects.toMatchObject({ code });
    expect(await lives(`http ${what}`)).toBe(0);
  });

  test('stands for no identity that cannot be sent: the log of the Worker says so, and a binding', async () => {
    const why = /^the identity cannot be sent: at value: instances of Account cannot be cloned: /;
    const logged = vi.spyOn(console, 'error').mockImplementation(() => {});
    using stub = overHttp('unsendable', 'of a class');
    await expect(stub.whoAmI()).rejects.toMatchObject({ code: 'NOT_EXECUTED' });
    expect(logged.mock.lastCall?.flat()).toContainEqual(
      expect.objectContaining({ message: expect.stringMatching(why) }),
    );
    logged.mockRestore();
    const identity = new (class Account {})();
    expect(() => connectBinding<AccessTarget>(ACCESS.getByName('bound'), { identity })).toThrow(why);
  });

  test('cannot be helped by what else comes with the request', async () => {
    const socket = await SELF.fetch('http://worker.test/with-token/access/helped', {
      cf: { lumenizeIdentity: '{"name":"root"}', lumenizeExpiresAt: 1 },
      headers: {
        Upgrade: 'websocket',
        'Sec-WebSocket-Protocol': `${VERSION}, ${offered(signedToken({ name: 'ada' }))}`,
      },
    } as RequestInit);
    socket.webSocket!.accept();
    using ada = connect('helped', signedToken({ name: 'ada' }));
    expect(await ada.whoAmI()).toEqual({ identity: { name: 'ada' }, expires: false });
    expect(await lives('helped')).toBe(1);
    socket.webSocket!.close();
  });
});

describe('an identity that expires', () => {
  test('is served until then, also after hibernation, and told so after', async () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    try {
      using stub = connect('expiring', signedToken({ name: 'ada', expiresInMs: 60_000 }));
      expect(await stub.whoAmI()).toMatchObject({ expires: true });
      await evictDurableObject(ACCESS.getByName('expiring'));
      expect(await stub.whoAmI()).toMatchObject({ expires: true });
      await evictDurableObject(ACCESS.getByName('expiring'));
      vi.advanceTimersByTime(60_000);
      await expect(stub.whoAmI()).rejects.toMatchObject({ code: 'EXPIRED' });
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([false, true])(
    'gets no more events, although it only listens; after hibernation: %s',
    async (hibernates) => {
      vi.useFakeTimers({ toFake: ['Date'] });
      try {
        const name = `listening ${hibernates}`;
        const publisher = overHttp(name, signedToken({ name: 'eve' }));
        using stub = connect(name, signedToken({ name: 'ada', expiresInMs: 60_000 }));
        const news = (await stub.news())[Symbol.asyncIterator]();
        await publisher.publish('early');
        expect(await news.next()).toMatchObject({ value: { event: 'early' } });
        if (hibernates) await evictDurableObject(ACCESS.getByName(name));
        vi.advanceTimersByTime(60_000);
        await publisher.publish('late');
        await expect.poll(() => connection(stub).reason).toMatchObject({ code: 'EXPIRED' });
      } finally {
        vi.useRealTimers();
      }
    },
  );

  test('is refused from the first call on, by a binding', async () => {
    using known = connectBinding<AccessTarget>(ACCESS.getByName('bound'), {
      identity: expiring({ name: 'ada' }, Date.now() + 60_000),
    });
    expect(await known.whoAmI()).toEqual({ identity: { name: 'ada' }, expires: true });
    using expired = connectBinding<AccessTarget>(ACCESS.getByName('bound'), { identity: expiring({}, new Date(0)) });
    await expect(expired.whoAmI()).rejects.toMatchObject({ code: 'EXPIRED' });
  });
});

describe('an object', () => {
  test('takes no more connections than it may, and others when these are gone', async () => {
    const token = signedToken({ name: 'ada' });
    const [first, second] = [connect('few', token), connect('few', token)];
    await Promise.all([first.whoAmI(), second.whoAmI()]);
    for (const evicted of [false, true]) {
      if (evicted) await evictDurableObject(ACCESS.getByName('few'));
      const socket = await upgrade('/with-token/access/few', {
        'Sec-WebSocket-Protocol': `${VERSION}, ${offered(token)}`,
      });
      const closing = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve, { once: true }));
      socket.accept();
      expect(await closing).toMatchObject({
        code: 4400,
        reason: expect.stringMatching(/^OVERLOADED: maxConnections /),
      });
    }
    expect(await second.metrics()).toMatchObject({ connections: 2, callsInFlight: 0, refused: { maxConnections: 1 } });
    first[Symbol.dispose]();
    await expect.poll(() => second.metrics()).toMatchObject({ connections: 1 });
    using third = connect('few', token);
    expect(await third.metrics()).toMatchObject({ connections: 2 });
    second[Symbol.dispose]();
  });

  test.each([undefined, 'lumenize.client.0123456789abcdef0123456789abcdef.1.1'])(
    'refuses an identity that a socket cannot carry, and keeps nothing of it',
    async (client) => {
      const logged = vi.spyOn(console, 'error');
      const token = offered(signedToken({ name: 'large' }));
      const socket = await upgrade('/with-token/access/large', {
        'Sec-WebSocket-Protocol': [VERSION, token, ...(client === undefined ? [] : [client])].join(', '),
      });
      const closing = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve, { once: true }));
      socket.accept();
      expect(await closing).toMatchObject({
        code: 4400,
        reason: expect.stringMatching(
          /^LIMIT_EXCEEDED: an identity of 20\d\d\d characters does not fit into the 16384 bytes of a socket$/,
        ),
      });
      await runInDurableObject(ACCESS.getByName('large'), (object, ctx) => {
        const { rpcMetrics } = object as unknown as { rpcMetrics: RpcMetrics };
        expect(ctx.getWebSockets()).toEqual([]);
        expect(rpcMetrics).toMatchObject({ connections: 0, refused: { LIMIT_EXCEEDED: expect.any(Number) } });
      });
      expect(logged).not.toHaveBeenCalled();
      logged.mockRestore();
    },
  );

  test('is told of errors of its hooks, also of asynchronous ones, and serves all the same', async () => {
    const onError = vi.fn();
    await runInDurableObject(ACCESS.getByName('hooks'), async (_object, ctx) => {
      const onConnect = async () => Promise.reject(new Error('in a hook'));
      const server = createRpcServer(ctx, { target: () => new CheckedTarget(), onConnect, onError });
      const headers = { Upgrade: 'websocket', 'Sec-WebSocket-Protocol': VERSION };
      const answer = await server.fetch(new Request('http://worker.test/', { headers }));
      expect(answer?.status).toBe(101);
      answer!.webSocket!.accept();
      answer!.webSocket!.close();
    });
    expect(onError).toHaveBeenCalledExactlyOnceWith(new Error('in a hook'), 'onConnect', undefined);
  });

  test('limits the rate of an identity over its connections and batches, and counts what it refuses', async () => {
    const token = signedToken({ name: 'ada' });
    using socket = connect('slow', token);
    using batches = overHttp('slow', token);
    const calls = (stub: Stub<AccessTarget>, count: number) =>
      Promise.all(Array.from({ length: count }, () => stub.open()));
    await calls(socket, 5);
    await calls(batches, 5);
    for (const stub of [socket, batches]) {
      await expect(calls(stub, 2)).rejects.toMatchObject({
        code: 'RATE_LIMITED',
        data: { retryAfterMs: expect.any(Number) },
      });
    }
    using other = connect('slow', signedToken({ name: 'eve' }));
    await expect(other.secret()).rejects.toMatchObject({ code: 'DENIED' });
    expect(await other.metrics()).toMatchObject({ refused: { 'rateLimits.identity': 2, DENIED: 1 } });
  });
});
