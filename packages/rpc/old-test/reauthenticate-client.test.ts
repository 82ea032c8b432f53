import { type ConnectOptions, connection, connectOver, RpcError, type Stub, withOptions } from '@lumenize/rpc';
import { describeFrame } from '@lumenize/rpc/inspect';
import { callContext, expiring, RpcTarget } from '@lumenize/rpc/server';
import { testConnection } from '@lumenize/rpc/testing';
import { describe, expect, test, vi } from 'vitest';
import { CANCEL } from '../src/protocol/signal.ts';
import { RESENT, TOKEN, TOKEN_CALL_ID } from '../src/protocol/tags.ts';
import { kindOf, sequence, valuesOf } from './support/frames.ts';
import { codeOf, type PingApi, pinTime, result, settle } from './support/probed-client.ts';
import { type Attempt, probedTransport } from './support/probed-transport.ts';

pinTime();

/** A client with tokens `1`, `2` and so on. */
function setup(options: ConnectOptions = {}) {
  const { open, attempts } = probedTransport();
  let tokens = 0;
  const token = vi.fn(() => `${++tokens}`);
  const stub: Stub<PingApi> = connectOver<PingApi>(open, 'a test', { eager: true, token, ...options });
  return { stub, attempts, token, last: () => attempts.at(-1)! };
}

async function setupOpen(options?: ConnectOptions) {
  const all = setup(options);
  await settle();
  all.last().opened();
  return all;
}

const kinds = ({ sent }: Attempt) => sent.map(kindOf);
const offered = (attempts: Attempt[]) => attempts.map(({ offer }) => atob(offer[2].replace('lumenize.token.', '')));
const taken = sequence(TOKEN_CALL_ID, [undefined]);
const refused = (code: string) => sequence(TOKEN_CALL_ID, [1, [code, 'no']]);
/** Says that the calls from this id on wait for a new token. */
const held = (from?: number) => sequence(0, [2, ['EXPIRED', 'log in', -1, from === undefined ? {} : { from }]]);
/** Says that calls did not run, before the connection ends. */
const expired = (id: number) => sequence(id, [2, ['EXPIRED', 'log in', -1]]);

describe('authenticate()', () => {
  test('shows a new token once behind what was called, and what is called meanwhile waits', async () => {
    const { stub, token, last } = await setupOpen();
    const before = stub.ping('before');
    const authenticated = [connection(stub).authenticate(), connection(stub).authenticate()];
    await settle();
    expect([kinds(last()), token.mock.calls.length]).toEqual([[1, TOKEN], 2]);
    const after = [stub.ping('a'), stub.ping('b')];
    await settle();
    const later = stub.ping('c');
    await settle();
    expect(kinds(last())).toEqual([1, TOKEN]);
    last().received(result(1, 'before'));
    last().received(taken);
    await Promise.all(authenticated);
    expect(kinds(last())).toEqual([1, TOKEN, 2, 4]);
    last().received(sequence(2, ['a'], ['b'], ['c']));
    expect(await Promise.all([before, ...after, later])).toEqual(['before', 'a', 'b', 'c']);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(connection(stub).state).toBe('open');
  });

  test.each([
    ['no call is made', []],
    ['not every call is made', ['made']],
    ['the calls are too large to wait', ['x'.repeat(2000)]],
  ])('lets a frame that waits end a subscription where %s', async (_what, others) => {
    const { stub, last } = await setupOpen({ maxQueuedBytes: 1000 });
    const subscribing = stub.ping() as PromiseLike<unknown> as PromiseLike<Disposable>;
    await settle();
    last().received('[1,{"$":[{"$topic":["prices",["a.b",0]]}]}]');
    const subscription = await subscribing;
    void connection(stub).authenticate();
    await settle();
    const caller = new AbortController();
    subscription[Symbol.dispose]();
    const calls = [
      withOptions(stub, { signal: caller.signal }).ping('given up'),
      ...others.map((text) => stub.ping(text)),
    ];
    for (const call of calls) call.then(null, () => {});
    await settle();
    caller.abort();
    last().received(taken);
    await settle();
    // Of a frame that is sent again without some calls, the server ignores such signals.
    const told = last().sent.filter(
      (message) => kindOf(message) !== RESENT && `${message}`.includes('[-7,"prices",1]'),
    );
    expect(told).toHaveLength(1);
  });

  test('rejects where the token is refused, and the connection goes on as it was', async () => {
    const { stub, last } = await setupOpen({ token: 'the same' });
    const code = codeOf(connection(stub).authenticate());
    await settle();
    const call = stub.ping();
    last().received(refused('DENIED'));
    expect(await code).toBe('DENIED');
    await settle();
    expect(kinds(last())).toEqual([TOKEN, 1]);
    last().received(result(1, 'a'));
    expect(await call).toBe('a');
    await vi.advanceTimersByTimeAsync(20_000);
    expect(connection(stub).state).toBe('open');
  });

  test.each([
    [
      'there is none',
      () => {
        throw new Error('logged out');
      },
    ],
    ['it is no text', () => 5 as never],
    ['it is longer than may be', () => 'x'.repeat(8193)],
  ])('rejects where %s, and calls go on', async (_what, fails) => {
    const token = vi.fn(fails).mockReturnValueOnce('first' as never);
    const { stub, last } = await setupOpen({ token });
    expect(await codeOf(connection(stub).authenticate())).toBe('NOT_EXECUTED');
    stub.ping().catch(() => {});
    await settle();
    expect([kinds(last()), connection(stub).state]).toEqual([[1], 'open']);
  });

  test('connects with the new token where the server takes none', async () => {
    const { stub, attempts, last } = await setupOpen();
    const authenticated = connection(stub).authenticate();
    await settle();
    last().received(refused('METHOD_NOT_FOUND'));
    await settle();
    expect([attempts[0].closes, offered(attempts)]).toEqual([[4000], ['1', '3']]);
    last().opened();
    last().alive();
    await authenticated;
    expect([attempts.length, kinds(last())]).toEqual([2, []]);
  });

  test('waits for a connection where there is none, with a token that is asked for then', async () => {
    const { stub, attempts, last } = setup({ eager: false });
    const authenticated = connection(stub).authenticate();
    await settle();
    last().opened();
    await authenticated;
    expect([offered(attempts), kinds(last())]).toEqual([['1'], []]);
    // One that is under way has asked before.
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    const again = connection(stub).authenticate();
    await settle();
    expect([offered(attempts), attempts[1].closes]).toEqual([['1', '2', '3'], [4000]]);
    attempts[1].opened();
    attempts[1].alive();
    expect(connection(stub).state).toBe('reconnecting');
    last().opened();
    last().alive();
    await again;
  });

  test('outlives a connection that is lost meanwhile', async () => {
    const { stub, last } = await setupOpen();
    const authenticated = connection(stub).authenticate();
    await settle();
    const call = stub.ping();
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    await authenticated;
    expect(kinds(last())).toEqual([1]);
    last().received(result(1, 'a'));
    expect(await call).toBe('a');
  });

  test.each([
    ['another is asked for', 10, 'eve'],
    ['another is looked at', 60, 'eve'],
    ['another cannot be had', 10, undefined],
    ['another is refused', 60, 'mallory'],
  ])('shows a token that is asked for from then on where %s, and calls made meanwhile are for it', async (...given) => {
    const [, afterMs, first] = given;
    class Api extends RpcTarget {
      who() {
        return callContext().caller!.identity;
      }
    }
    let user: string | undefined = 'ada';
    const later = (job: () => string | undefined) =>
      new Promise<string | undefined>((resolve) => setTimeout(() => resolve(job()), 50));
    const { stub } = testConnection(() => new Api(), {
      identity: 'ada',
      token: () => {
        const asked = user;
        return later(() => asked) as Promise<string>;
      },
      reauthenticate: (token) => later(() => (token === 'mallory' ? undefined : token)),
      heartbeat: false,
      onRefused() {},
    });
    const before = stub.who();
    await vi.advanceTimersByTimeAsync(100);
    user = first;
    const authenticated = [connection(stub).authenticate()];
    await vi.advanceTimersByTimeAsync(afterMs);
    user = 'zoe';
    const same = stub.who();
    authenticated.push(connection(stub).authenticate());
    const meanwhile = [stub.who()];
    await vi.advanceTimersByTimeAsync(20);
    meanwhile.push(stub.who());
    await vi.advanceTimersByTimeAsync(500);
    await Promise.all(authenticated);
    expect(await Promise.all([before, same, ...meanwhile, stub.who()])).toEqual(['ada', 'zoe', 'zoe', 'zoe', 'zoe']);
    connection(stub).close();
  });

  test('sends what was called before under the old token, also where the new one is not at hand', async () => {
    const gate = Promise.withResolvers<string>();
    const { stub, token, last } = await setupOpen();
    token.mockReturnValueOnce(gate.promise as never);
    stub.ping('before').catch(() => {});
    void connection(stub).authenticate();
    stub.ping('meanwhile').catch(() => {});
    await settle();
    expect(kinds(last())).toEqual([1]);
    await vi.advanceTimersByTimeAsync(9000);
    gate.resolve('late');
    await settle();
    expect(kinds(last())).toEqual([1, TOKEN]);
    last().received(taken);
    expect(kinds(last())).toEqual([1, TOKEN, 2]);
  });

  test('has no limit of time while the new token is not at hand and nothing waits for it', async () => {
    const gate = Promise.withResolvers<string>();
    const { stub, token, last } = await setupOpen();
    token.mockReturnValueOnce(gate.promise as never);
    const authenticated = connection(stub).authenticate();
    await vi.advanceTimersByTimeAsync(9000);
    last().alive();
    await vi.advanceTimersByTimeAsync(9000);
    gate.resolve('late');
    await settle();
    last().received(taken);
    await authenticated;
    expect(kinds(last())).toEqual([TOKEN]);
  });

  test('gives up an attempt that another call of it has begun, whose token may be another one', async () => {
    const { stub, attempts, last } = setup({ eager: false });
    const authenticated = [connection(stub).authenticate()];
    await settle();
    authenticated.push(connection(stub).authenticate());
    await settle();
    expect([offered(attempts), attempts[0].closes]).toEqual([['1', '2'], [4000]]);
    last().opened();
    await Promise.all(authenticated);
  });

  /** A client with a call in flight, which is given up in the turn of another call while a token is shown. */
  async function setupGivenUp() {
    const all = await setupOpen();
    const { stub } = all;
    const giving = new AbortController();
    codeOf(withOptions(stub, { signal: giving.signal }).ping('in flight'));
    await settle();
    const authenticated = connection(stub).authenticate();
    await settle();
    giving.abort();
    return { ...all, authenticated };
  }

  test.each([
    ['one', ['a']],
    ['every one', ['a', 'b']],
  ])('tells the server what was given up beside calls of which %s is given up as well', async (_which, texts) => {
    const { stub, authenticated, last } = await setupGivenUp();
    for (const text of ['a', 'b']) {
      codeOf((texts.includes(text) ? withOptions(stub, { timeoutMs: 10 }) : stub).ping(text));
    }
    await vi.advanceTimersByTimeAsync(10);
    last().received(taken);
    await authenticated;
    await settle();
    // In a frame that is sent again, signals are ignored.
    const told = last()
      .sent.filter((frame) => (kindOf(frame) as number) > 0)
      .flatMap(valuesOf);
    expect(told).toContainEqual([CANCEL, 1, 'CANCELLED']);
  });

  test.each([
    ['waits', true],
    ['is written', false],
  ])('tells the next connection nothing that is about the one that was lost while it %s', async (_how, isWaiting) => {
    const { stub, last } = await setupGivenUp();
    const call = stub.ping('a');
    if (isWaiting) await settle();
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    expect(describeFrame(last().sent[0], 'up')).toMatchObject({ kind: 'resent', ageMs: undefined, ids: [2] });
    last().received(result(2, 'a'));
    expect(await call).toBe('a');
  });

  test.each([
    ['the server says nothing', true],
    ['there is no connection', false],
  ])('rejects in time where %s, and calls that waited with it', async (_what, isOpen) => {
    const { stub, last } = await setupOpen();
    const inFlight = stub.ping('in flight');
    await settle();
    if (!isOpen) last().closed(1006, '');
    const codes = [codeOf(connection(stub).authenticate())];
    await settle();
    codes.push(codeOf(stub.ping()));
    await vi.advanceTimersByTimeAsync(10_000);
    expect(await Promise.all(codes)).toEqual(['NOT_EXECUTED', 'NOT_EXECUTED']);
    if (!isOpen) return expect(await codeOf(inFlight)).toBe('OUTCOME_UNKNOWN');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    last().received(result(1, 'a'));
    expect(await inFlight).toBe('a');
  });

  test('that takes too long rejects calls that never run, also where a later call uses a step beside them', async () => {
    const ran: string[] = [];
    class Api extends RpcTarget {
      run(text: string) {
        ran.push(text);
        return this;
      }
    }
    const { stub } = testConnection(() => new Api(), {
      token: 'a',
      reauthenticate: () => new Promise(() => {}),
      maxWaitMs: 1000,
      maxQueuedBytes: 1000,
    });
    await stub.run('before');
    const codes = [codeOf(connection(stub).authenticate())];
    const step = stub.run('step');
    codes.push(codeOf(stub.run('x'.repeat(900))), codeOf(step.run('behind')));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await Promise.all(codes)).toEqual(['NOT_EXECUTED', 'NOT_EXECUTED', 'NOT_EXECUTED']);
    const later = codeOf(step.run('later'));
    // They take no room any more.
    const large = 'y'.repeat(900);
    void stub.run(large);
    await vi.advanceTimersByTimeAsync(1000);
    expect([await later, ran]).toEqual(['REFERENCE_LOST', ['before', large]]);
    connection(stub).close();
  });

  test('rejects where the connection is closed for good, and where there is no token', async () => {
    const { stub, last } = await setupOpen();
    const pending = codeOf(connection(stub).authenticate());
    await settle();
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    last().closed(4400, 'DENIED: no');
    expect(await pending).toBe('DENIED');
    // Whoever has logged in again may try.
    const again = codeOf(connection(stub).authenticate());
    await settle();
    expect(connection(stub).state).toBe('connecting');
    connection(stub).close();
    expect(await again).toBe('NOT_EXECUTED');
    expect(await codeOf(connection(stub).authenticate())).toBe('NOT_EXECUTED');
    const without = await setupOpen({ token: undefined });
    await expect(connection(without.stub).authenticate()).rejects.toThrow('needs the option token');
  });
});

describe('a token whose lifetime the server tells', () => {
  const goodFor = (ms: number, id = 0) => sequence(id, [ms]);

  test.each(['is asked for', 'is on its way'])(
    'is told while a new one %s, and is not the answer to that',
    async (how) => {
      const { stub, token, last } = await setupOpen({ heartbeat: false });
      const gate = Promise.withResolvers<string>();
      if (how === 'is asked for') token.mockReturnValueOnce(gate.promise as never);
      const authenticated = codeOf(connection(stub).authenticate());
      await settle();
      last().received(goodFor(60_000));
      gate.resolve('late');
      await settle();
      const call = stub.ping();
      await settle();
      expect(kinds(last())).toEqual([TOKEN]);
      last().received(refused('DENIED'));
      expect(await authenticated).toBe('DENIED');
      last().received(result(1, 'a'));
      expect(await call).toBe('a');
      await vi.advanceTimersByTimeAsync(57_000);
      expect(kinds(last())).toEqual([TOKEN, 1, TOKEN]);
    },
  );

  test('is renewed before it is over, as often as it is told', async () => {
    const { attempts, token, last } = await setupOpen({ heartbeat: false });
    last().received(goodFor(60_000));
    await vi.advanceTimersByTimeAsync(56_999);
    expect([kinds(last()), token.mock.calls.length]).toEqual([[], 1]);
    await vi.advanceTimersByTimeAsync(1);
    expect([kinds(last()), token.mock.calls.length]).toEqual([[TOKEN], 2]);
    last().received(goodFor(100_000, TOKEN_CALL_ID));
    await vi.advanceTimersByTimeAsync(95_000);
    expect([kinds(last()), attempts.length]).toEqual([[TOKEN, TOKEN], 1]);
    // For ever.
    last().received(taken);
    await vi.advanceTimersByTimeAsync(1_000_000);
    expect(kinds(last())).toEqual([TOKEN, TOKEN]);
  });

  test('is renewed before it is over, also where no other token could be had meanwhile', async () => {
    const { stub, token, last } = await setupOpen({ heartbeat: false });
    last().received(goodFor(60_000));
    token.mockRejectedValueOnce(new Error('no network') as never);
    expect(await codeOf(connection(stub).authenticate())).toBe('NOT_EXECUTED');
    await vi.advanceTimersByTimeAsync(1200);
    expect(kinds(last())).toEqual([TOKEN]);
  });

  test('is asked for again where that failed ahead of its expiry, and onError is told', async () => {
    const onError = vi.fn();
    const { token, stub, last } = await setupOpen({ heartbeat: false, onError });
    last().received(goodFor(60_000));
    const failed = [new Error('no network'), new Error('still none')];
    for (const error of failed) token.mockRejectedValueOnce(error as never);
    await vi.advanceTimersByTimeAsync(57_000);
    expect(onError.mock.calls).toEqual([[failed[0], 'token', undefined]]);
    const call = stub.ping();
    await settle();
    await vi.advanceTimersByTimeAsync(1200);
    expect([kinds(last()), onError.mock.calls.length]).toEqual([[1], 2]);
    await vi.advanceTimersByTimeAsync(1200);
    expect(kinds(last())).toEqual([1, TOKEN]);
    last().received(result(1, 'a'));
    last().received(goodFor(60_000, TOKEN_CALL_ID));
    expect([await call, connection(stub).state, onError.mock.calls.length]).toEqual(['a', 'open', 2]);
  });

  test('is not asked for again where token() says that there will be none', async () => {
    const onError = vi.fn();
    const { token, last } = await setupOpen({ heartbeat: false, onError });
    token.mockRejectedValue(new RpcError('DENIED', 'logged out') as never);
    last().received(goodFor(60_000));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(onError.mock.calls).toEqual([[expect.objectContaining({ code: 'DENIED' }), 'token', undefined]]);
  });

  test('that will never come ends the client, once calls wait for it', async () => {
    const { token, stub, attempts, last } = await setupOpen({ heartbeat: false });
    const error = new RpcError('DENIED', 'logged out');
    token.mockRejectedValue(error as never);
    const call = codeOf(stub.ping());
    await settle();
    last().received(held(1));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await call).toBe('DENIED');
    expect([connection(stub).state, attempts.length]).toEqual(['closed', 1]);
    expect(connection(stub).reason).toBe(error);
  });

  test('is not shown again and again where it stays the same', async () => {
    const { last } = await setupOpen({ heartbeat: false, token: () => 'the same' });
    last().received(goodFor(10_000));
    await vi.advanceTimersByTimeAsync(9500);
    last().received(goodFor(500, TOKEN_CALL_ID));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(kinds(last())).toEqual([TOKEN]);
  });

  test.each(['lost', 'closed'])('is not renewed over a connection that was %s', async (how) => {
    const { stub, token, last } = await setupOpen({ heartbeat: false });
    last().received(goodFor(60_000));
    if (how === 'closed') connection(stub).close();
    else {
      last().closed(1006, '');
      await vi.advanceTimersByTimeAsync(250);
      last().opened();
      last().alive();
    }
    const asked = token.mock.calls.length;
    await vi.advanceTimersByTimeAsync(120_000);
    expect([kinds(last()), token.mock.calls.length]).toEqual([[], asked]);
  });

  test('is not renewed where there is no other', async () => {
    const { last } = await setupOpen({ heartbeat: false, token: 'the only one' });
    last().received(goodFor(60_000));
    await vi.advanceTimersByTimeAsync(120_000);
    expect(kinds(last())).toEqual([]);
  });
});

describe('calls that wait at the server because the caller has expired', () => {
  test('are not sent again, and go before what was called meanwhile', async () => {
    const { stub, attempts, token, last } = await setupOpen();
    const calls: PromiseLike<string>[] = [];
    for (const text of ['a', 'b']) {
      calls.push(stub.ping(text));
      await settle();
    }
    last().received(held(1));
    for (const text of ['c', 'd']) {
      calls.push(stub.ping(text));
      await settle();
    }
    expect([kinds(last()), token.mock.calls.length]).toEqual([[1, 2, TOKEN], 2]);
    last().received(taken);
    expect(kinds(last())).toEqual([1, 2, TOKEN, 3, 4]);
    last().received(sequence(1, ['a'], ['b'], ['c'], ['d']));
    expect(await Promise.all(calls)).toEqual(['a', 'b', 'c', 'd']);
    await vi.advanceTimersByTimeAsync(20_000);
    expect([attempts.length, connection(stub).state]).toEqual([1, 'open']);
  });

  test('reject where the new token is refused: who comes with the next one may be somebody else', async () => {
    const { stub, attempts, last } = await setupOpen();
    const running = codeOf(stub.ping('running'));
    await settle();
    const call = codeOf(stub.ping());
    await settle();
    last().received(held(2));
    const meanwhile = codeOf(stub.ping('meanwhile'));
    await settle();
    last().received(expired(2));
    last().received(refused('DENIED'));
    expect(await Promise.all([call, meanwhile, running])).toEqual(['DENIED', 'DENIED', 'OUTCOME_UNKNOWN']);
    const later = stub.ping('later');
    last().closed(4401, 'EXPIRED: log in');
    await vi.advanceTimersByTimeAsync(250);
    expect(offered(attempts)).toEqual(['1', '3']);
    last().opened();
    last().alive();
    expect(kinds(last())).toEqual([4]);
    last().received(result(4, 'a'));
    expect(await later).toBe('a');
    // What is lost from then on is not about that any more.
    const again = stub.ping('again');
    await settle();
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(500);
    last().opened();
    last().alive();
    last().received(result(5, 'b'));
    expect(await again).toBe('b');
  });

  test('reject also if they were made while the token was on its way, and none waits at the server', async () => {
    const expiresAt = Date.now() + 1000;
    const gate = Promise.withResolvers<undefined>();
    const ran: string[] = [];
    class Api extends RpcTarget {
      static readonly rpc = { read: { idempotent: true } };
      read(by: string) {
        ran.push(by);
      }
      write(by: string) {
        ran.push(by);
      }
    }
    const { stub } = testConnection(() => new Api(), {
      // Whoever comes with the next token is somebody else.
      get identity() {
        return Date.now() < expiresAt ? expiring('ada', expiresAt) : 'eve';
      },
      token: () => 'a token',
      reauthenticate: () => gate.promise,
      heartbeat: false,
      onRefused() {},
    });
    await stub.read('before');
    await vi.advanceTimersByTimeAsync(1000);
    const codes = [codeOf(connection(stub).authenticate())];
    await settle();
    codes.push(codeOf(stub.read('meanwhile')), codeOf(stub.write('meanwhile')));
    await settle();
    gate.resolve(undefined);
    await vi.advanceTimersByTimeAsync(1000);
    expect(await Promise.all(codes)).toEqual(['DENIED', 'DENIED', 'DENIED']);
    expect(ran).toEqual(['before']);
    connection(stub).close();
  });

  test('wait for the next connection where there is no new token', async () => {
    const token = vi.fn(() => '1');
    const { stub, attempts, last } = await setupOpen({ token });
    const call = stub.ping();
    await settle();
    token.mockImplementationOnce(() => {
      throw new Error('logged out');
    });
    last().received(held(1));
    await settle();
    expect([last().closes, connection(stub).state]).toEqual([[4000], 'reconnecting']);
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    expect([attempts.length, kinds(last())]).toEqual([2, [1]]);
    last().received(result(1, 'a'));
    expect(await call).toBe('a');
  });

  test.each([
    ['is not sent yet', false, 1],
    ['is on its way', true, RESENT],
  ])('have run at most if the token is: the connection is lost while it %s', async (_what, isShown, kind) => {
    const { stub, token, last } = await setupOpen();
    const gate = Promise.withResolvers<string>();
    token.mockReturnValueOnce(gate.promise as never);
    const calls: PromiseLike<string>[] = [stub.ping('a')];
    await settle();
    last().received(held(1));
    if (isShown) gate.resolve('late');
    calls.push(stub.ping('b'));
    await settle();
    expect(kinds(last())).toEqual(isShown ? [1, TOKEN] : [1]);
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    expect(kinds(last())).toEqual([kind, 2]);
    last().received(sequence(1, ['a'], ['b']));
    expect(await Promise.all(calls)).toEqual(['a', 'b']);
  });

  test('may have run with a token that was on its way before they were known to wait', async () => {
    const { stub, token, last } = await setupOpen();
    stub.ping().catch(() => {});
    await settle();
    void connection(stub).authenticate();
    await settle();
    last().received(held(1));
    await settle();
    expect([kinds(last()), token.mock.calls.length]).toEqual([[1, TOKEN], 2]);
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    expect(kinds(last())).toEqual([RESENT]);
  });

  test('reject where that takes too long, and those before them may have run', async () => {
    const { stub, token, last } = await setupOpen({ maxWaitMs: 1000 });
    token.mockReturnValueOnce(new Promise(() => {}) as never);
    const codes: PromiseLike<unknown>[] = [];
    for (const text of ['before', 'held']) {
      codes.push(codeOf(stub.ping(text)));
      await settle();
    }
    last().received(held(2));
    codes.push(codeOf(stub.ping('meanwhile')));
    await vi.advanceTimersByTimeAsync(1000);
    expect(await Promise.all(codes.slice(1))).toEqual(['NOT_EXECUTED', 'NOT_EXECUTED']);
    expect([last().closes, connection(stub).state]).toEqual([[4000], 'reconnecting']);
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    expect(kinds(last())).toEqual([RESENT]);
  });

  test('may be none: then only the token is shown', async () => {
    const { last } = await setupOpen();
    last().received(held());
    await settle();
    expect(kinds(last())).toEqual([TOKEN]);
  });

  test.each([
    ['there is no token to show', { token: undefined }, 'closed'],
    ['the only token is refused', { token: 'the same' }, 'closed'],
  ])('reject as not run where %s, and the connection ends', async (_what, options, state) => {
    const { stub, last } = await setupOpen(options);
    const codes: PromiseLike<unknown>[] = [];
    for (const text of ['running', 'held']) {
      codes.push(codeOf(stub.ping(text)));
      await settle();
    }
    last().received(held(2));
    await settle();
    if (options.token !== undefined) {
      last().received(expired(2));
      last().received(refused('EXPIRED'));
    }
    expect(await Promise.all(codes)).toEqual(['OUTCOME_UNKNOWN', 'EXPIRED']);
    expect([connection(stub).state, connection(stub).reason?.code]).toEqual([state, 'EXPIRED']);
  });

  test.each(['text', null, [], { from: 'text' }, { from: [1] }, { from: -1 }, { from: 1.5 }])(
    'are none that a server names badly: %j',
    async (data) => {
      const { stub, last } = await setupOpen();
      stub.ping().catch(() => {});
      await settle();
      last().received(sequence(0, [2, ['EXPIRED', 'log in', -1, data]]));
      last().closed(1006, '');
      await vi.advanceTimersByTimeAsync(250);
      last().opened();
      last().alive();
      expect(kinds(last())).toEqual([RESENT]);
    },
  );
});

describe('calls that are refused because the caller has expired', () => {
  test('wait for the next connection', async () => {
    const { stub, token, last } = await setupOpen();
    stub.ping().catch(() => {});
    await settle();
    last().received(expired(1));
    await settle();
    expect([kinds(last()), token.mock.calls.length]).toEqual([[1], 1]);
    last().closed(4401, 'EXPIRED: log in');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    expect([kinds(last()), token.mock.calls.length]).toEqual([[1], 2]);
  });

  test('are made over the next connection before those that were called later, and not known to be refused', async () => {
    const { stub, last } = await setupOpen();
    for (const text of ['refused', 'in flight']) {
      stub.ping(text).catch(() => {});
      await settle();
    }
    last().received(expired(1));
    await settle();
    last().closed(4401, 'EXPIRED: log in');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    expect(kinds(last())).toEqual([1, RESENT]);
  });

  test('reject when they are refused again', async () => {
    const { stub, last } = await setupOpen();
    const code = codeOf(stub.ping((() => {}) as unknown as string));
    const other = codeOf(stub.ping());
    await settle();
    last().received(expired(1));
    last().closed(4401, 'EXPIRED: log in');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    last().alive();
    // What only the lost connection knows ends with it.
    expect([await code, kinds(last()), connection(stub).statistics.exports]).toEqual(['EXPIRED', [RESENT], 0]);
    last().received(expired(1));
    expect(await other).toEqual('EXPIRED');
  });

  test('may have run over an earlier connection, and are sent again as such', async () => {
    const { stub, last } = await setupOpen();
    const code = codeOf(stub.ping());
    await settle();
    for (const refusal of [undefined, expired(1)]) {
      if (refusal !== undefined) last().received(refusal);
      last().closed(refusal === undefined ? 1006 : 4401, refusal === undefined ? '' : 'EXPIRED: log in');
      await vi.advanceTimersByTimeAsync(500);
      last().opened();
      last().alive();
      // A frame that may be why two connections were lost waits a little.
      await vi.advanceTimersByTimeAsync(250);
      expect(kinds(last())).toEqual([RESENT]);
    }
    last().received(expired(1));
    expect(await code).toBe('OUTCOME_UNKNOWN');
  });

  test('reject where there is no token', async () => {
    const { stub, last } = await setupOpen({ token: undefined });
    const code = codeOf(stub.ping());
    await settle();
    last().received(expired(1));
    expect([await code, kinds(last())]).toEqual(['EXPIRED', [1]]);
  });
});
