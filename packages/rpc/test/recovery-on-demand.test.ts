import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { codeOf, type PingApi, result } from './support/probed-client.ts';
import { probedTransport } from './support/probed-transport.ts';
import { until } from './support/until.ts';

// Each client is of new modules, where what connects again has not been loaded.

async function freshClient() {
  vi.resetModules();
  const [{ connectOver, connection }, { RECOVERY }] = await Promise.all([
    import('../src/index.ts'),
    import('../src/client/recovery-feature.ts'),
  ]);
  const { open, attempts } = probedTransport();
  const stub = connectOver<PingApi>(open, 'a test', {
    reconnect: { minDelayMs: 1, maxDelayMs: 1 },
    early: false,
    token: () => 'a token',
  });
  const attempt = async (count: number) => {
    await until(() => attempts.length >= count);
    return attempts.at(count - 1)!;
  };
  return { RECOVERY, connection, stub, attempts, attempt };
}

let client: Awaited<ReturnType<typeof freshClient>>;
beforeEach(async () => {
  client = await freshClient();
});
afterEach(() => {
  vi.restoreAllMocks();
});

test('what connects again is loaded when the first connection has opened', async () => {
  const { RECOVERY, stub, attempt } = client;
  const called = stub.ping();
  expect(RECOVERY.loaded).toBeUndefined();
  const { opened, received } = await attempt(1);
  opened();
  received(result(1, 'pong'));
  expect(await called).toBe('pong');
  await until(() => RECOVERY.loaded !== undefined);
});

test('a connection lost before that is made again, with all that was called before and meanwhile', async () => {
  const { connection, stub, attempt } = client;
  const before = stub.ping();
  const first = await attempt(1);
  first.opened();
  first.lost(1006, '');
  const meanwhile = stub.ping();
  const second = await attempt(2);
  expect(first.sent).toHaveLength(1);
  second.opened();
  second.alive();
  expect(connection(stub).state).toBe('open');
  expect(second.sent).toHaveLength(2);
  second.received(result(1, 'again'));
  second.received(result(2, 'later'));
  expect(await Promise.all([before, meanwhile])).toEqual(['again', 'later']);
});

test('a new token that is shown while it is loaded goes with the next connection', async () => {
  const { connection, stub, attempt } = client;
  const before = codeOf(stub.ping());
  const first = await attempt(1);
  first.opened();
  const shown = connection(stub).authenticate();
  first.lost(1006, '');
  const second = await attempt(2);
  second.opened();
  second.alive();
  await shown;
  second.received(result(1, 'again'));
  expect(await before).toBe('again');
});

test('a connection that is refused says why, though it has to be read by what is not there yet', async () => {
  const { connection, stub, attempt } = client;
  const called = codeOf(stub.ping());
  (await attempt(1)).lost(4400, 'DENIED: not you');
  expect(await called).toBe('DENIED');
  expect(connection(stub).state).toBe('closed');
});

test('without a network to load it, attempts go on all the same', async () => {
  const { RECOVERY, connection, stub, attempt } = client;
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const load = vi.spyOn(RECOVERY, 'load').mockRejectedValue(new Error('offline'));
  const called = stub.ping();
  (await attempt(1)).lost(1006, '');
  (await attempt(2)).lost(1006, '');
  const third = await attempt(3);
  expect(connection(stub)).toMatchObject({ state: 'reconnecting', reason: { code: 'NOT_EXECUTED' } });
  load.mockRestore();
  third.opened();
  third.received(result(1, 'pong'));
  expect(await called).toBe('pong');
});

test('where it cannot be loaded for what was open, calls are in doubt, and the next one connects', async () => {
  const { RECOVERY, connection, stub, attempt } = client;
  const load = vi.spyOn(RECOVERY, 'load').mockRejectedValue(new Error('offline'));
  const sent = codeOf(stub.ping());
  const first = await attempt(1);
  first.opened();
  first.lost(1006, '');
  const unsent = codeOf(stub.ping());
  expect(await Promise.all([sent, unsent])).toEqual(['OUTCOME_UNKNOWN', 'NOT_EXECUTED']);
  expect(connection(stub)).toMatchObject({ state: 'idle', reason: { message: expect.stringContaining('offline') } });
  load.mockRestore();
  const next = stub.ping();
  const second = await attempt(2);
  second.opened();
  second.alive();
  second.received(result(3, 'pong'));
  expect(await next).toBe('pong');
});
