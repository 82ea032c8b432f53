import { env, evictDurableObject, runInDurableObject } from 'cloudflare:test';
import { recordFrames } from '@lumenize/inspect';
import { connection, type Stub } from '@lumenize/rpc';
import { connectBinding } from '@lumenize/rpc/binding';
import type { Caller, Topic } from '@lumenize/rpc/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { writeToken } from '../../packages/rpc/src/protocol/token.ts';
import { sequence } from '../../packages/rpc/test/support/frames.ts';
import { type AccessObject, type AccessTarget, type Claims, signedToken } from './access-object.ts';
import { connectToSelf, upgrade } from './self-transport.ts';

const { ACCESS } = env as unknown as { ACCESS: DurableObjectNamespace };

beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
afterEach(() => void vi.useRealTimers());

const HOUR_MS = 3_600_000;
const ada: Claims = { name: 'ada', expiresInMs: HOUR_MS };

/** A client whose tokens say in turn who it is, the last one from then on. */
function connect(instance: string, ...claims: (Claims | string)[]) {
  const token = vi.fn(() => {
    const next = claims.length > 1 ? claims.shift()! : claims[0];
    return typeof next === 'string' ? next : signedToken(next);
  });
  const path = `/with-token/access/${instance}`;
  const stub: Stub<AccessTarget> = connectToSelf<AccessTarget>(path, { token, reconnect: true });
  return { stub, token };
}

const evict = (instance: string) => evictDurableObject(ACCESS.getByName(instance));

describe.each(['hibernating', 'accepted'])('a connection that is %s', (kind) => {
  test('outlives the identity that it began with, also those that follow', async () => {
    const name = `renewing ${kind}`;
    const { stub, token } = connect(name, ada);
    const child = await stub.child();
    for (let hour = 0; hour < 3; hour++) {
      if (kind === 'hibernating') await evict(name);
      vi.advanceTimersByTime(HOUR_MS);
      expect(await Promise.all([stub.whoAmI(), child.open()])).toMatchObject([{ expires: true }, 'open']);
    }
    expect([token.mock.calls.length, connection(stub).statistics.reconnects]).toEqual([4, 0]);
    connection(stub).close();
  });

  test('keeps what a call returned that had begun before', async () => {
    const name = `renewing late ${kind}`;
    const { stub } = connect(name, ada);
    const late = stub.lateChild();
    await stub.whoAmI();
    await connection(stub).authenticate();
    const child = await late;
    if (kind === 'hibernating') await evict(name);
    expect(await child.open()).toBe('open');
    connection(stub).close();
  });

  test('answers calls whose stubs were disposed of behind them, though the identity had expired when both arrived', async () => {
    const { stub } = connect(`renewing disposed ${kind}`, ada);
    const child = await stub.child();
    const step = stub.child();
    expect(await step.open()).toBe('open');
    vi.advanceTimersByTime(HOUR_MS);
    const calls = [child.open(), step.open()];
    // Until the frame of the calls has been sent.
    for (let turn = 0; turn < 5; turn++) await undefined;
    child[Symbol.dispose]();
    step[Symbol.dispose]();
    expect(await Promise.all(calls)).toEqual(['open', 'open']);
    expect(connection(stub).statistics.reconnects).toBe(0);
    connection(stub).close();
  });

  test('keeps the streams of calls that are made behind the end of its identity', async () => {
    const { stub } = connect(`renewing late streams ${kind}`, ada);
    await stub.whoAmI();
    vi.advanceTimersByTime(HOUR_MS);
    const numbers = async function* () {
      for (let n = 0; n < 1000; n++) yield n;
    };
    expect(await Promise.all([stub.sum(numbers()), stub.sum(numbers())])).toEqual([499_500, 499_500]);
    expect(connection(stub).statistics.reconnects).toBe(0);
    connection(stub).close();
  });

  test('keeps the streams and subscriptions that it had', async () => {
    const name = `renewing streams ${kind}`;
    const { stub } = connect(name, ada);
    const counting = (await stub.counting())[Symbol.asyncIterator]();
    const news = (await stub.news())[Symbol.asyncIterator]();
    const gate = Promise.withResolvers<void>();
    const sum = stub.sum(
      (async function* () {
        for (let n = 0; n < 1000; n++) {
          if (n === 500) await gate.promise;
          yield n;
        }
      })(),
    );
    for (let n = 0; n < 50; n++) expect((await counting.next()).value).toBe(n);
    vi.advanceTimersByTime(HOUR_MS);
    gate.resolve();
    for (let n = 50; n < 5000; n++) expect((await counting.next()).value).toBe(n);
    expect(await sum).toBe(499_500);
    await stub.publish('after');
    expect((await news.next()).value).toMatchObject({ event: 'after' });
    expect(connection(stub).statistics.reconnects).toBe(0);
    connection(stub).close();
  });

  test('can become that of another caller, who may do something else', async () => {
    const name = `renewing as another ${kind}`;
    const { stub } = connect(name, { name: 'eve' }, { name: 'ada', admin: true }, 'slowly not signed', {
      name: 'root',
    });
    await expect(stub.secret()).rejects.toMatchObject({ code: 'DENIED' });
    await connection(stub).authenticate();
    for (const code of ['DENIED', 'DENIED']) {
      await expect(connection(stub).authenticate()).rejects.toMatchObject({ code });
      if (kind === 'hibernating') await evict(name);
      expect(await Promise.all([stub.secret(), stub.whoAmI(), stub.connected()])).toEqual([
        'the secret',
        { identity: { name: 'ada', admin: true }, expires: false },
        [{ name: 'ada', admin: true }],
      ]);
    }
    expect(connection(stub).statistics.reconnects).toBe(0);
    connection(stub).close();
  });

  test('is told that a token is refused behind a call with which the server tells how long the first one is good', async () => {
    const name = `renewing behind a call ${kind}`;
    const { stub } = connect(name, ada, 'not signed');
    await stub.whoAmI();
    if (kind === 'hibernating') await evict(name);
    const call = stub.whoAmI();
    await expect(connection(stub).authenticate()).rejects.toMatchObject({ code: 'DENIED' });
    expect(await call).toMatchObject({ identity: { name: 'ada' } });
    connection(stub).close();
  });

  test('has calls wait for whom they are, where that takes its time', async () => {
    const { stub } = connect(`renewing slowly ${kind}`, { name: 'eve' }, { name: 'slowly' });
    expect(await stub.whoAmI()).toMatchObject({ identity: { name: 'eve' } });
    const authenticated = connection(stub).authenticate();
    const calls = [stub.whoAmI(), stub.whoAmI()];
    await authenticated;
    for (const call of calls) expect(await call).toMatchObject({ identity: { name: 'slowly' } });
    connection(stub).close();
  });

  test('stays as it was where there can be no such caller', async () => {
    const { stub } = connect(`renewing never ${kind}`, { name: 'ada' }, { name: 'mallory' }, 'large');
    await stub.whoAmI();
    await expect(connection(stub).authenticate()).rejects.toMatchObject({ code: 'DENIED' });
    // What hibernates has no room for so large an identity.
    const authenticated = connection(stub).authenticate();
    if (kind === 'hibernating') {
      const message = expect.stringMatching(/^an identity of 20011 characters .* 16384 bytes/);
      await expect(authenticated).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED', message });
    } else await authenticated;
    const { identity } = (await stub.whoAmI()) as { identity: Claims };
    expect(identity.name.length).toBe(kind === 'hibernating' ? 3 : 20_000);
    connection(stub).close();
  });
});

test('an identity that has expired is not let in with a token that is refused', async () => {
  const { stub, token } = connect('renewing refused', ada, { name: 'root' }, { ...ada, name: 'eve' });
  await stub.whoAmI();
  vi.advanceTimersByTime(HOUR_MS);
  // What was called under the old one is not made under another.
  await expect(stub.whoAmI()).rejects.toMatchObject({ code: 'DENIED' });
  // The connection ends, and the next one begins with the third.
  expect(await stub.whoAmI()).toMatchObject({ identity: { name: 'eve' } });
  expect([token.mock.calls.length, connection(stub).statistics.reconnects]).toEqual([3, 1]);
  connection(stub).close();
});

test.each(['hibernating', 'accepted'])(
  'a connection that is %s and makes no call is told how long it may last',
  async (kind) => {
    const told = Promise.withResolvers<string>();
    const wrapTransport = recordFrames(({ direction, message }) => direction === 'down' && told.resolve(`${message}`));
    const path = `/with-token/access/renewing eager ${kind}`;
    const stub = connectToSelf<AccessTarget>(path, { token: () => signedToken(ada), eager: true, wrapTransport });
    expect(await told.promise).toMatch(/^\[0,\[3[56]\d{5}\]\]$/);
    // And once only.
    await stub.whoAmI();
    expect(connection(stub).statistics.framesReceived).toBe(2);
    connection(stub).close();
  },
);

test('who only listens gets events for as long as it has renewed its identity, after hibernation too', async () => {
  const name = 'renewing listener';
  const { stub: publisher } = connect(name, { name: 'zoe' });
  const { stub } = connect(name, ada, { ...ada, expiresInMs: 3 * HOUR_MS }, ada);
  const news = (await stub.news())[Symbol.asyncIterator]();
  const next = async (event: string) => {
    await publisher.publish(event);
    expect((await news.next()).value).toMatchObject({ event });
  };
  await next('first');
  await evict(name);
  await next('after waking');
  await connection(stub).authenticate();
  vi.advanceTimersByTime(2 * HOUR_MS);
  await next('renewed');
  await evict(name);
  await next('renewed, after waking');
  expect(connection(stub).statistics.reconnects).toBe(0);
  // A shorter one counts, too: then it connects again, and misses nothing.
  await connection(stub).authenticate();
  vi.advanceTimersByTime(HOUR_MS);
  await next('expired');
  expect(connection(stub).statistics.reconnects).toBe(1);
  connection(stub).close();
  connection(publisher).close();
});

test('frames that arrive after an event has ended the connection do not run, even behind a new token', async () => {
  const name = 'renewing too late';
  const { stub: listener } = connect(name, ada);
  await listener.news();
  const { stub: publisher } = connect(name, { name: 'zoe' });
  const news = (await publisher.news())[Symbol.asyncIterator]();
  vi.advanceTimersByTime(HOUR_MS);
  const publishing = (event: string) => sequence(100, [0, 'publish', [event]]) as string;
  await runInDurableObject(ACCESS.getByName(name), (object: AccessObject, ctx) => {
    const sockets = ctx.getWebSockets();
    const { caller } = sockets[0].deserializeAttachment() as { caller: Caller<{ name: string }> };
    const [late, other] = caller.identity.name === 'ada' ? sockets : sockets.toReversed();
    void object.webSocketMessage(other, publishing('expired'));

    void object.webSocketMessage(late, writeToken(signedToken(ada)));
    void object.webSocketMessage(late, publishing('after the end'));
    void object.webSocketMessage(other, publishing('last'));
  });
  for (const event of ['expired', 'last']) expect((await news.next()).value).toMatchObject({ event });
  connection(listener).close();
  connection(publisher).close();
});

test.each(['hibernating', 'accepted'])(
  'an event that ends a connection that is %s comes behind the refusal of what waits for a new token',
  async (kind) => {
    const name = `renewing an event ${kind}`;
    const socket = await upgrade(`/with-token/access/${encodeURIComponent(name)}`, {
      'Sec-WebSocket-Protocol': `lumenize.rpc.2, lumenize.token.${btoa(signedToken(ada)).replaceAll('=', '')}`,
    });
    const told: string[] = [];
    socket.addEventListener('message', ({ data }) => told.push(`${data}`));
    const closing = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve, { once: true }));
    socket.accept();
    const { stub: publisher } = connect(name, { name: 'zoe' });
    socket.send(sequence(1, [0, 'news', []]));
    await expect.poll(() => told.length).toBe(2);
    vi.advanceTimersByTime(HOUR_MS);
    socket.send(sequence(2, [0, 'whoAmI', []]));
    await expect.poll(() => told.length).toBe(3);
    await publisher.publish('expired');
    expect(await closing).toMatchObject({ code: 4401 });
    expect(JSON.parse(told[3])).toEqual([2, [2, ['EXPIRED', expect.any(String), -1]]]);
    connection(publisher).close();
  },
);

test('what waits for a new token is not lost, because the object does not hibernate until then', async () => {
  const name = 'renewing late signals';
  const { stub, token } = connect(name, ada);
  const news = await stub.news();
  await stub.whoAmI();
  vi.advanceTimersByTime(HOUR_MS);
  const shown = Promise.withResolvers<string>();
  const asked = new Promise<void>((resolve) => {
    token.mockImplementationOnce((() => {
      resolve();
      return shown.promise;
    }) as never);
  });
  news[Symbol.dispose]();
  await asked;
  const evicted = evict(name);
  await new Promise((resolve) => setTimeout(resolve, 100));
  shown.resolve(signedToken(ada));
  await evicted;
  await stub.whoAmI();
  const subscribers = await runInDurableObject(
    ACCESS.getByName(name),
    (object) => (object as unknown as { topic(name: string): Topic<string> }).topic('news').subscribers,
  );
  expect(subscribers).toBe(0);
  connection(stub).close();
});

test.each([
  ['no token', [0x25, 0, 0]],
  ['a number for one', [0x25, 0, 5, 0]],
  ['nothing', [0x25]],
  ['noise', [0x25, 0xff, 0xff, 0x7f]],
])('garbage ends the connection that it came by, and no other: %s', async (_what, bytes) => {
  const { stub } = connect('renewing garbage', { name: 'ada' });
  await stub.whoAmI();
  const socket = await upgrade('/with-token/access/renewing%20garbage', {
    'Sec-WebSocket-Protocol': `lumenize.rpc.2, lumenize.token.${btoa(signedToken({ name: 'eve' })).replaceAll('=', '')}`,
  });
  const closing = new Promise<CloseEvent>((resolve) => socket.addEventListener('close', resolve, { once: true }));
  socket.accept();
  socket.send(new Uint8Array(bytes));
  expect(await closing).toMatchObject({ code: 1007, reason: expect.stringMatching(/^MALFORMED_FRAME: /) });
  expect(await stub.whoAmI()).toMatchObject({ identity: { name: 'ada' } });
  connection(stub).close();
});

test('a connection by the platform’s own RPC can be renewed as well', async () => {
  const stub = connectBinding<AccessTarget>(ACCESS.getByName('renewing bound'), {
    identity: { name: 'eve' },
    token: signedToken({ name: 'ada', admin: true }),
  });
  await expect(stub.secret()).rejects.toMatchObject({ code: 'DENIED' });
  await connection(stub).authenticate();
  expect(await stub.secret()).toBe('the secret');
  connection(stub).close();
});

test('without reauthenticate the client connects with the new token', async () => {
  const { stub } = connect('not renewing', { name: 'eve' }, { name: 'ada', admin: true });
  await expect(stub.secret()).rejects.toMatchObject({ code: 'DENIED' });
  await connection(stub).authenticate();
  expect([await stub.secret(), connection(stub).statistics.reconnects]).toEqual(['the secret', 1]);
  connection(stub).close();
});
