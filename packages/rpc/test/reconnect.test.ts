import {
  type ConnectOptions,
  connection,
  connectOver,
  type OpenTransport,
  RPC_ERROR_CODES,
  RpcError,
  type Stub,
  withOptions,
} from '@lumenize/rpc';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { codeOf, type PingApi, pinTime, result, settle } from './support/probed-client.ts';
import { type Attempt, probedTransport } from './support/probed-transport.ts';

pinTime();

interface Setup {
  stub: Stub<PingApi>;
  attempts: Attempt[];
  /** Every state, with the code of its reason. */
  states: (readonly [state: string, reason: string | undefined])[];
  /** The newest attempt. */
  last(): Attempt;
}

function setup(options: ConnectOptions = {}): Setup {
  const { open, attempts } = probedTransport();
  const states: Setup['states'] = [];
  const stub = connectOver<PingApi>(open, 'a test', {
    eager: true,
    ...options,
    onStateChange: (state, reason) => states.push([state, reason?.code]),
  });
  return { stub, attempts, states, last: () => attempts.at(-1)! };
}

/** What messages are: the first id of calls, `again` with it, or the name of a signal. */
const ids = ({ sent }: Attempt) =>
  sent.map((message) => {
    const content = JSON.parse(message as string);
    if (Array.isArray(content)) return content[0];
    return content.again ? `again ${content.again[0]}` : Object.keys(content)[0];
  });

describe('after a loss', () => {
  test('a client connects again by itself', async () => {
    const { stub, attempts, states, last } = setup();
    last().opened();
    last().closed(1006, '');
    expect(connection(stub)).toMatchObject({ state: 'reconnecting', reason: { code: 'NOT_EXECUTED' } });
    await vi.advanceTimersByTimeAsync(250);
    expect(attempts).toHaveLength(2);
    last().opened();
    expect(connection(stub)).toMatchObject({ state: 'open', reason: undefined, statistics: { reconnects: 1 } });
    await settle();
    expect(states).toEqual([
      ['connecting', undefined],
      ['open', undefined],
      ['reconnecting', 'NOT_EXECUTED'],
      ['open', undefined],
    ]);
  });

  test('waits double up to a bound, and begin anew after a connection that lasted', async () => {
    const { attempts, last } = setup({ reconnect: { minDelayMs: 100, maxDelayMs: 500, stableMs: 1000 } });
    const waits: number[] = [];
    const lose = async () => {
      const before = attempts.length;
      last().closed(1006, '');
      let waited = 0;
      for (; attempts.length === before; waited += 50) await vi.advanceTimersByTimeAsync(50);
      waits.push(waited);
    };
    last().opened();
    for (let loss = 0; loss < 4; loss++) await lose();
    // One that does not last changes nothing.
    last().opened();
    last().alive();
    await vi.advanceTimersByTimeAsync(900);
    await lose();
    last().opened();
    last().alive();
    await vi.advanceTimersByTimeAsync(1000);
    await lose();
    expect(waits).toEqual([100, 200, 400, 500, 500, 100]);
  });

  test('waits are any time up to their bound, so that clients do not come all at once', async () => {
    vi.mocked(Math.random).mockReturnValue(0.5);
    const { attempts, last } = setup({ reconnect: { minDelayMs: 100 } });
    last().opened();
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(49);
    expect(attempts).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(attempts).toHaveLength(2);
  });

  test('waits can be none, however many attempts fail', async () => {
    const { attempts, last } = setup({ reconnect: { minDelayMs: 0 } });
    const timer = vi.spyOn(globalThis, 'setTimeout');
    for (let attempt = 0; attempt < 1100; attempt++) {
      last().closed(1006, '');
      await vi.advanceTimersByTimeAsync(1);
    }
    expect([attempts.length, timer.mock.calls.filter(([, ms]) => Number.isNaN(ms))]).toEqual([1101, []]);
  });

  test('a server that is overloaded gets more time', async () => {
    const { attempts, last } = setup({ reconnect: { minDelayMs: 100 } });
    last().opened();
    last().closed(1013, 'OVERLOADED: later');
    await vi.advanceTimersByTimeAsync(799);
    expect(attempts).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(attempts).toHaveLength(2);
  });

  test('an attempt that takes too long gives way to another', async () => {
    const { attempts, last } = setup();
    last().opened();
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(250);
    // It neither opens nor fails.
    await vi.advanceTimersByTimeAsync(5000 + 500);
    expect(attempts).toHaveLength(3);
    expect(attempts[1].closes).toEqual([4000]);
  });

  test('calls are sent again with what waited, each frame once, and in order', async () => {
    const { stub, last } = setup();
    last().opened();
    const [first, second] = [stub.ping('a'), stub.ping('b')];
    await settle();
    const third = stub.ping('c');
    await settle();
    last().received(result(2, 'b'));
    expect(await second).toBe('b');
    // While it is written.
    const fourth = stub.ping('d');
    last().closed(1006, '');
    const fifth = stub.ping('e');
    await vi.advanceTimersByTimeAsync(250);
    last().opened();
    expect(ids(last())).toEqual(['again 1', 'again 3', 4, 5]);
    for (const [id, text] of [
      [1, 'a'],
      [3, 'c'],
      [4, 'd'],
      [5, 'e'],
    ] as const) {
      last().received(result(id, text));
    }
    expect(await Promise.all([first, third, fourth, fifth])).toEqual(['a', 'c', 'd', 'e']);
  });

  test.each([
    [4401, 'EXPIRED: no', 'EXPIRED'],
    [1008, 'RATE_LIMITED: no', 'RATE_LIMITED'],
    [4400, 'VERSION_MISMATCH: no', 'VERSION_MISMATCH'],
  ])('a close with %d %s ends it for good', async (code, reason, expected) => {
    const { stub, attempts, last } = setup();
    last().opened();
    const call = codeOf(stub.ping());
    await settle();
    last().closed(code, reason);
    expect(connection(stub)).toMatchObject({ state: 'closed', reason: { code: expected } });
    expect(await codeOf(stub.ping())).toBe(expected);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(attempts).toHaveLength(1);
    expect(await call).toBe('OUTCOME_UNKNOWN');
    // Whoever has reason to can try again.
    connection(stub).open();
    expect([attempts.length, connection(stub).state]).toEqual([2, 'connecting']);
  });

  test.each([
    [4400, 'DENIED: no', 'DENIED'],
    [4400, 'NOT_FOUND: no', 'NOT_FOUND'],
    [4400, 'VERSION_MISMATCH: no', 'VERSION_MISMATCH'],
    [4400, 'INTERNAL: a defect', 'INTERNAL'],
    [4400, '', 'NOT_EXECUTED'],
    [4401, 'EXPIRED: no', 'EXPIRED'],
  ])('an attempt that is refused with %d %s is the last: what waited has not run', async (code, reason, expected) => {
    const { stub, attempts, last } = setup();
    const call = codeOf(stub.ping());
    await settle();
    last().closed(code, reason);
    expect(connection(stub)).toMatchObject({ state: 'closed', reason: { code: expected } });
    expect([await call, await codeOf(stub.ping())]).toEqual([expected, expected]);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(attempts).toHaveLength(1);
  });

  test.each([
    [4400, 'NOT_EXECUTED: who knows'],
    [4400, 'OVERLOADED: later'],
    [1011, 'INTERNAL: a defect'],
    [1012, ''],
    [1001, ''],
  ])('a close with %d %s does not', async (code, reason) => {
    const { stub, attempts, last } = setup();
    last().closed(code, reason);
    expect(connection(stub).state).toBe('reconnecting');
    await vi.advanceTimersByTimeAsync(2000);
    expect(attempts).toHaveLength(2);
  });

  test("a refusal by an application's own code is told as one, not as a server that is not there", async () => {
    const { stub, last } = setup();
    const call = stub.ping('a');
    last().closed(4410, 'we are closed');
    await expect(call).rejects.toMatchObject({
      code: 'NOT_EXECUTED',
      message: expect.stringMatching(/ refused the connection \(4410 we are closed\)$/),
    });
    expect(connection(stub).state).toBe('closed');
  });

  test.each([
    [4400, 'DENIED: no'],
    [4400, 'OVERLOADED: later'],
    [4403, ''],
    [4999, 'whatever'],
    [1000, ''],
  ])('a close with %d %s proves nothing of what was sent before', async (code, reason) => {
    const { stub, attempts, last } = setup({ maxWaitMs: 60_000 });
    last().opened();
    const call = codeOf(stub.ping('a'));
    await settle();
    last().closed(code, reason);
    expect(connection(stub).state).toBe('reconnecting');
    await vi.advanceTimersByTimeAsync(2000);
    // Nor does it where the next attempt is refused for now.
    last().closed(4400, 'OVERLOADED: later');
    await vi.advanceTimersByTimeAsync(4000);
    last().opened();
    last().alive();
    expect([attempts.length, ids(last())]).toEqual([3, ['again 1']]);
    last().received(result(1, 'a'));
    expect(await call).toBe('a');
  });

  test('what was sent may have run, also where the next attempt is refused for good', async () => {
    const { stub, last } = setup();
    last().opened();
    const sent = codeOf(stub.ping('a'));
    await settle();
    last().closed(1006, '');
    const waiting = codeOf(stub.ping('b'));
    await vi.advanceTimersByTimeAsync(250);
    last().closed(4400, 'DENIED: no');
    expect([await sent, await waiting]).toEqual(['OUTCOME_UNKNOWN', 'DENIED']);
  });
});

describe('calls that wait', () => {
  test('reject when they have waited long enough, as what is known of them', async () => {
    const { stub, attempts, last } = setup({ maxWaitMs: 1000, reconnect: { maxDelayMs: 300 } });
    last().opened();
    const sent = codeOf(stub.ping());
    await settle();
    last().closed(1006, '');
    const waiting = codeOf(stub.ping());
    await vi.advanceTimersByTimeAsync(250);
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(749);
    expect(connection(stub).statistics.callsInFlight).toBe(2);
    await vi.advanceTimersByTimeAsync(1);
    expect(await Promise.all([sent, waiting])).toEqual(['OUTCOME_UNKNOWN', 'NOT_EXECUTED']);
    // The connection is still being made, and nothing is left to send.
    await vi.advanceTimersByTimeAsync(300);
    last().opened();
    last().alive();
    expect([connection(stub).state, last().sent.length]).toEqual(['open', 0]);
    expect(attempts.length).toBeGreaterThan(2);
  });

  test('for the first connection let it rest when they have rejected', async () => {
    const { stub, attempts, last } = setup({ eager: false, maxWaitMs: 1000 });
    const call = codeOf(stub.ping());
    await settle();
    last().closed(1006, '');
    await vi.advanceTimersByTimeAsync(1000);
    expect([await call, connection(stub).state]).toEqual(['NOT_EXECUTED', 'idle']);
    const count = attempts.length;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(attempts).toHaveLength(count);
    stub.ping().catch(() => {});
    await settle();
    expect(attempts).toHaveLength(count + 1);
  });

  test('for the first connection end the attempt that is under way when they have rejected', async () => {
    const { stub, attempts, last } = setup({ eager: false, maxWaitMs: 1000 });
    const call = codeOf(stub.ping());
    await vi.advanceTimersByTimeAsync(1000);
    expect([await call, connection(stub).state]).toEqual(['NOT_EXECUTED', 'idle']);
    // Else it opens for nobody, and the server keeps it.
    expect([attempts.length, last().closes]).toEqual([1, [4000]]);
  });

  test('are bounded in number and in bytes', async () => {
    const { stub } = setup({ maxQueuedCalls: 2, maxQueuedBytes: 1000 });
    const few = [codeOf(stub.ping()), codeOf(stub.ping()), codeOf(stub.ping())];
    await settle();
    expect(await few[2]).toBe('OVERLOADED');
    connection(stub).close();
    expect(await Promise.all(few)).toEqual(['NOT_EXECUTED', 'NOT_EXECUTED', 'OVERLOADED']);

    const large = setup({ maxQueuedBytes: 1000 });
    const kept = codeOf(large.stub.ping('x'.repeat(900)));
    await settle();
    const refused = codeOf(large.stub.ping('x'.repeat(900)));
    expect(await refused).toBe('OVERLOADED');
    connection(large.stub).close();
    expect(await kept).toBe('NOT_EXECUTED');
  });

  test('count from when they waited for a new token, also after the connection is lost', async () => {
    const { stub, last } = setup({ token: 'a', maxQueuedBytes: 1000 });
    last().opened();
    connection(stub)
      .authenticate()
      .catch(() => {});
    const kept = codeOf(stub.ping('x'.repeat(900)));
    await settle();
    last().closed(1006, '');
    expect(await codeOf(stub.ping('x'.repeat(900)))).toBe('OVERLOADED');
    connection(stub).close();
    expect(await kept).toBe('NOT_EXECUTED');
  });

  test('leave room for others when they are given up', async () => {
    const { stub, last } = setup({ maxQueuedBytes: 1000 });
    const large = 'x'.repeat(600);
    const given = codeOf(withOptions(stub, { timeoutMs: 100 }).ping(large));
    await settle();
    expect(await codeOf(stub.ping(large))).toBe('OVERLOADED');
    await vi.advanceTimersByTimeAsync(100);
    const kept = stub.ping(large);
    await settle();
    expect([await given, await codeOf(stub.ping(large))]).toEqual(['TIMED_OUT', 'OVERLOADED']);
    last().opened();
    last().received(result(ids(last())[0], 'kept'));
    expect(await kept).toBe('kept');
  });

  test('leave room for the calls that are made in the same turn in which they are given up', async () => {
    const { stub, last } = setup({ maxQueuedBytes: 1000 });
    const codes: PromiseLike<string>[] = [];
    let caller = new AbortController();
    for (let call = 0; call < 4; call++) {
      caller.abort();
      caller = new AbortController();
      codes.push(codeOf(withOptions(stub, { signal: caller.signal }).ping('x'.repeat(600))));
      await settle();
    }
    last().opened();
    for (const id of ids(last()))
      last().received(result(id + (last().sent[0] as string).split('0,').length - 1, 'kept'));
    expect(await Promise.all(codes)).toEqual(['CANCELLED', 'CANCELLED', 'CANCELLED', 'kept']);
  });

  test('obey their own time limits', async () => {
    const { stub, last } = setup();
    last().opened();
    const sent = codeOf(withOptions(stub, { timeoutMs: 100 }).ping());
    await settle();
    last().closed(1006, '');
    const waiting = codeOf(withOptions(stub, { timeoutMs: 100 }).ping());
    await vi.advanceTimersByTimeAsync(100);
    expect(await Promise.all([sent, waiting])).toEqual(['TIMED_OUT', 'TIMED_OUT']);
    await vi.advanceTimersByTimeAsync(150);
    last().opened();
    last().alive();
    // Nobody waits for either: neither runs.
    expect(last().sent.filter((message) => /ping/.test(message as string))).toEqual([]);
  });
});

describe('a connection that says nothing', () => {
  test('is asked for a sign of life, and is lost where there is none', async () => {
    const { stub, last, attempts } = setup({ heartbeat: { intervalMs: 3000, timeoutMs: 1000 } });
    last().opened();
    await vi.advanceTimersByTimeAsync(3999);
    expect(last().probes).toBe(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(last().probes).toBe(1);
    last().alive();
    await vi.advanceTimersByTimeAsync(3999);
    expect([last().probes, connection(stub).state]).toEqual([1, 'open']);
    await vi.advanceTimersByTimeAsync(1);
    expect(last().probes).toBe(2);
    await vi.advanceTimersByTimeAsync(1000);
    expect([connection(stub).state, last().closes]).toEqual(['reconnecting', [4000]]);
    await vi.advanceTimersByTimeAsync(250);
    expect(attempts).toHaveLength(2);
  });

  test('is asked sooner while a call is in flight', async () => {
    const { stub, last } = setup({ heartbeat: { intervalMs: 30_000, timeoutMs: 1000 } });
    last().opened();
    stub.ping().catch(() => {});
    await vi.advanceTimersByTimeAsync(2000);
    expect(last().probes).toBe(1);
  });

  test('is asked once more where nothing ran while the answer was awaited, as in a page that was frozen', async () => {
    const { stub, last } = setup({ heartbeat: { intervalMs: 1000, timeoutMs: 1000 } });
    last().opened();
    await vi.advanceTimersByTimeAsync(2000);
    expect(last().probes).toBe(1);
    vi.setSystemTime(Date.now() + 60_000);
    await vi.advanceTimersByTimeAsync(1000);
    expect([last().probes, connection(stub).state]).toEqual([2, 'open']);
    await vi.advanceTimersByTimeAsync(1000);
    expect(connection(stub).state).toBe('reconnecting');
  });

  test('has its whole time to answer, also where it is asked sooner', async () => {
    const { stub, last } = setup({ heartbeat: { intervalMs: 1000, timeoutMs: 10_000 } });
    last().opened();
    await vi.advanceTimersByTimeAsync(2000);
    expect(last().probes).toBe(1);
    await vi.advanceTimersByTimeAsync(9999);
    expect(connection(stub).state).toBe('open');
    last().alive();
    await vi.advanceTimersByTimeAsync(2001);
    expect(last().probes).toBe(2);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(connection(stub).state).toBe('reconnecting');
  });

  test('is not asked where that is turned off', async () => {
    const { stub, last } = setup({ heartbeat: false });
    last().opened();
    await vi.advanceTimersByTimeAsync(600_000);
    expect([last().probes, connection(stub).state]).toEqual([0, 'open']);
  });
});

test('a transport that throws when it is probed is given up', async () => {
  const throwing = (open: OpenTransport): OpenTransport => {
    return (events, offer) => ({
      ...open(events, offer),
      probe() {
        throw new Error('the socket is gone');
      },
    });
  };
  const { stub, attempts, last } = setup({ wrapTransport: throwing, heartbeat: { intervalMs: 100 } });
  last().opened();
  await vi.advanceTimersByTimeAsync(300);
  expect(connection(stub)).toMatchObject({
    state: 'reconnecting',
    reason: { message: expect.stringContaining('the socket is gone') },
  });
  await vi.advanceTimersByTimeAsync(250);
  expect(attempts).toHaveLength(2);
});

describe('a page', () => {
  /** What a page has that Node has not. */
  function page() {
    const document = Object.assign(new EventTarget(), { visibilityState: 'visible' });
    const window = new EventTarget();
    vi.stubGlobal('document', document);
    vi.stubGlobal('addEventListener', window.addEventListener.bind(window));
    vi.stubGlobal('removeEventListener', window.removeEventListener.bind(window));
    return { document, window };
  }
  afterEach(() => vi.unstubAllGlobals());

  test.each([
    ['no addEventListener', {}],
    ['no removeEventListener', { addEventListener() {} }],
  ])('whose window has %s connects, reconnects and closes', async (_what, window) => {
    const { document } = page();
    const { addEventListener, removeEventListener } = window as Partial<EventTarget>;
    vi.stubGlobal('addEventListener', addEventListener);
    vi.stubGlobal('removeEventListener', removeEventListener);
    const { stub, attempts, last } = setup();
    last().opened();
    last().closed(1006, '');
    // The document has its events all the same.
    document.dispatchEvent(new Event('visibilitychange'));
    expect(attempts).toHaveLength(2);
    last().opened();
    last().alive();
    expect(connection(stub).state).toBe('open');
    connection(stub).close();
    expect(connection(stub).state).toBe('closed');
  });

  test.each([
    ['null', null],
    ['an object without events', {}],
  ])('whose document is %s connects, reconnects and closes', async (_what, document) => {
    const { window } = page();
    vi.stubGlobal('document', document);
    const { stub, last } = setup();
    last().opened();
    last().closed(1006, '');
    window.dispatchEvent(new Event('focus'));
    await vi.advanceTimersByTimeAsync(1000);
    last().opened();
    last().alive();
    expect(connection(stub).state).toBe('open');
    connection(stub).close();
    expect(connection(stub).state).toBe('closed');
  });

  test('hears nothing more of a page after it was closed, or that has gone away', async () => {
    const { document, window } = page();
    const { stub, attempts, last } = setup();
    last().opened();
    connection(stub).close();
    const events = vi.spyOn(document, 'visibilityState', 'get').mockImplementation(() => {
      throw new Error('asked after the end');
    });
    for (const type of ['visibilitychange', 'focus']) {
      document.dispatchEvent(new Event(type));
      window.dispatchEvent(new Event(type));
    }
    expect([attempts.length, events.mock.calls.length]).toEqual([1, 0]);
    const { stub: other, last: itsLast } = setup();
    itsLast().opened();
    vi.unstubAllGlobals();
    connection(other).close();
    expect(connection(other).state).toBe('closed');
  });

  test.each(['online', 'focus', 'pageshow', 'visibilitychange'])('connects at once on %s', async (event) => {
    const { document, window } = page();
    const { attempts, last } = setup();
    last().opened();
    last().closed(1006, '');
    (event === 'visibilitychange' ? document : window).dispatchEvent(new Event(event));
    expect(attempts).toHaveLength(2);
    // The attempt that waited does not come in addition.
    await vi.advanceTimersByTimeAsync(1000);
    expect(attempts).toHaveLength(2);
  });

  test('that is looked at again probes the connection that it has', async () => {
    const { window } = page();
    const { stub, last } = setup();
    last().opened();
    window.dispatchEvent(new Event('focus'));
    expect(last().probes).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect(connection(stub).state).toBe('reconnecting');
  });

  test('that is looked at again and again gives up a connection that does not answer', async () => {
    const { window } = page();
    const { stub, last } = setup();
    last().opened();
    for (let look = 0; look < 3; look++) {
      window.dispatchEvent(new Event('focus'));
      await vi.advanceTimersByTimeAsync(4000);
    }
    expect(connection(stub).state).toBe('reconnecting');
  });

  test('that is told that there is no network asks its connection, and does not try in vain to connect', async () => {
    const { window } = page();
    const { attempts, last } = setup();
    last().opened();
    window.dispatchEvent(new Event('offline'));
    expect(last().probes).toBe(1);
    await vi.advanceTimersByTimeAsync(10_000);
    expect([attempts.length, last().closes]).toEqual([1, [4000]]);
    window.dispatchEvent(new Event('offline'));
    expect(attempts).toHaveLength(1);
    window.dispatchEvent(new Event('online'));
    expect(attempts).toHaveLength(2);
  });

  test('that has closed its connection does nothing any more', async () => {
    const { window } = page();
    const { stub, attempts, last } = setup();
    last().opened();
    connection(stub).close();
    window.dispatchEvent(new Event('online'));
    expect([attempts.length, last().probes]).toEqual([1, 0]);
  });
});

describe('what a client offers', () => {
  test('is a token too, in characters that a header may have', async () => {
    const { last } = setup({ token: 'ö/+?' });
    expect(last().offer[2]).toBe('lumenize.token.w7YvKz8');
  });

  test('is a new token for each attempt, and an attempt without one has failed', async () => {
    const token = vi.fn<() => Promise<string>>();
    token.mockResolvedValueOnce('a').mockRejectedValueOnce(new Error('no session')).mockResolvedValueOnce('b');
    const { stub, attempts, states, last } = setup({ token });
    await settle();
    last().opened();
    last().closed(4401, 'EXPIRED: log in again');
    await vi.advanceTimersByTimeAsync(250);
    expect([attempts.length, connection(stub).reason?.message]).toEqual([1, 'token() failed: Error: no session']);
    await vi.advanceTimersByTimeAsync(500);
    expect(attempts.map(({ offer }) => offer[2])).toEqual(['lumenize.token.YQ', 'lumenize.token.Yg']);
    expect(states.map(([state]) => state)).toEqual(['connecting', 'open', 'reconnecting', 'reconnecting']);
  });

  const FINAL = RPC_ERROR_CODES.filter((code) => !new RpcError(code, '').retryable && code !== 'EXPIRED');
  test.each(FINAL)('is none for good where token() throws %s', async (code) => {
    const error = new RpcError(code, 'no more tokens');
    const token = vi.fn<() => Promise<string>>().mockResolvedValueOnce('a').mockRejectedValue(error);
    const { stub, attempts, states, last } = setup({ token });
    await settle();
    last().opened();
    const sent = codeOf(stub.ping());
    await settle();
    last().closed(1006, '');
    const waiting = expect(stub.ping()).rejects.toBe(error);
    await vi.advanceTimersByTimeAsync(250);
    await waiting;
    // Of a call that was sent nobody knows more.
    expect(await sent).toBe('OUTCOME_UNKNOWN');
    await vi.advanceTimersByTimeAsync(60_000);
    expect([attempts.length, token.mock.calls.length]).toEqual([1, 2]);
    expect(connection(stub).reason).toBe(error);
    expect(states.at(-1)).toEqual(['closed', code]);
    await expect(stub.ping()).rejects.toBe(error);
    // Until it is told to try again.
    token.mockResolvedValue('b');
    connection(stub).open();
    await settle();
    expect(attempts).toHaveLength(2);
  });

  test.each(['NOT_EXECUTED', 'OVERLOADED', 'RATE_LIMITED'] as const)(
    'is asked for again where token() throws %s',
    async (code) => {
      const token = vi.fn<() => Promise<string>>().mockRejectedValueOnce(new RpcError(code, 'later'));
      const { stub, attempts } = setup({ token: token.mockResolvedValue('a') });
      await settle();
      expect(connection(stub)).toMatchObject({ state: 'reconnecting', reason: { code: 'NOT_EXECUTED' } });
      await vi.advanceTimersByTimeAsync(300);
      expect(attempts).toHaveLength(1);
    },
  );

  const NONE = [null, undefined, () => null, () => undefined, async () => null];
  test.each(NONE)('is no token where it is null or undefined: %s', async (token) => {
    const { last } = setup({ token: token as string | undefined });
    await settle();
    expect(last().offer).toEqual([
      'lumenize.rpc.3',
      expect.stringMatching(/^lumenize\.client/),
      'lumenize.rpc.refused',
    ]);
  });

  test('may be as long as is said, and connects', async () => {
    const { last } = setup({ token: () => 'x'.repeat(8192) });
    await settle();
    expect(last().offer[2]).toHaveLength('lumenize.token.'.length + Math.ceil((8192 * 4) / 3));
  });

  test('is a new token where the first has expired, once', async () => {
    const token = vi.fn(() => 'a');
    const { stub, attempts, last } = setup({ token, maxWaitMs: 60_000 });
    const calls = [codeOf(stub.ping('a')), codeOf(stub.ping('b'))];
    await settle();
    last().closed(4401, 'EXPIRED: log in again');
    expect(connection(stub).state).toBe('reconnecting');
    await vi.advanceTimersByTimeAsync(250);
    last().closed(4401, 'EXPIRED: log in again');
    expect([await Promise.all(calls), connection(stub).state]).toEqual([['EXPIRED', 'EXPIRED'], 'closed']);
    expect([attempts.length, token.mock.calls.length]).toEqual([2, 2]);
  });
});

test('close() is final', async () => {
  const { stub, attempts, last } = setup();
  last().opened();
  const call = codeOf(stub.ping());
  connection(stub).close();
  expect([last().closes, last().sent.length]).toEqual([[1000], 1]);
  expect(await call).toBe('OUTCOME_UNKNOWN');
  connection(stub).open();
  await vi.advanceTimersByTimeAsync(60_000);
  expect([attempts.length, connection(stub).state]).toEqual([1, 'closed']);
  expect(await codeOf(stub.ping())).toBe('NOT_EXECUTED');
});

test('close() connects no more for calls of the same turn', async () => {
  const { stub, attempts, states } = setup({ eager: false });
  const call = codeOf(stub.ping());
  connection(stub).close();
  await settle();
  expect([await call, attempts.length, states]).toEqual(['NOT_EXECUTED', 0, [['closed', 'NOT_EXECUTED']]]);
});

test('without reconnecting, calls in flight reject, and the next one connects', async () => {
  const { stub, attempts, last } = setup({ reconnect: false });
  last().opened();
  const call = codeOf(stub.ping());
  await settle();
  last().closed(1006, '');
  expect([await call, connection(stub).state]).toEqual(['OUTCOME_UNKNOWN', 'idle']);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(attempts).toHaveLength(1);
  stub.ping().catch(() => {});
  await settle();
  expect(attempts).toHaveLength(2);
});
