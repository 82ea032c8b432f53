import { RpcTarget } from '@lumenize/rpc';
import { describe, expect, test, vi } from 'vitest';
import { writeResent } from '../src/protocol/resent.ts';
import { ACKNOWLEDGE, CANCEL, CONSUMED, FORGET, LEAVE, RELEASE, survivesLoss } from '../src/protocol/signal.ts';
import type { RpcServerOptions } from '../src/server/options.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import type { ResultStore } from '../src/session/incoming/delivery.ts';
import { sequence } from './support/frames.ts';
import { recordedTransport } from './support/recorded-transport.ts';
import { turns, until } from './support/until.ts';

class Api extends RpcTarget {
  static readonly rpc = { guarded: { guard: () => false } };
  ran = 0;
  readonly gates: PromiseWithResolvers<void>[] = [];
  count() {
    return ++this.ran;
  }
  wait() {
    this.ran++;
    const gate = Promise.withResolvers<void>();
    this.gates.push(gate);
    return gate.promise;
  }
  take(_bytes: Uint8Array) {
    return this.wait();
  }
  child() {
    return new Api();
  }
  numbers() {
    return Array.from({ length: 30 }, (_, index) => index);
  }
  guarded() {}
}

/** Sessions of one object that frames are sent to by hand, with what they answered and how they closed. */
function createObject(options: RpcServerOptions = {}) {
  const api = new Api();
  const told: string[] = [];
  const context = createServerContext({ onRefused: (code, what) => told.push(`${code} ${what}`), ...options });
  const connect = (expiresAt?: number) => {
    const { entries, closes, transport } = recordedTransport();
    const caller = { identity: undefined, connectionId: 'x', expiresAt };
    const session = new ServerSession(api, transport, context, { caller });
    return { session, entries, closes, send: (...values: unknown[]) => session.receive(sequence(...values)) };
  };
  return { api, context, told, connect };
}

const call = (path: string, ...args: unknown[]) => [0, path, args];
const calls = (count: number) => Array.from({ length: count }, () => call('count'));

describe('calls in flight', () => {
  test('beyond maxCallsInFlight are refused, also where they come under numbers that are running', () => {
    const { api, connect } = createObject({ limits: { maxCallsInFlight: 3 } });
    const { send, entries } = connect();
    for (let frame = 0; frame < 5; frame++) send(1, call('wait'));
    const refused = [1, [1, ['OVERLOADED', expect.stringMatching(/^maxCallsInFlight /)]]];
    expect(entries).toEqual([...refused, ...refused]);
    expect(api.ran).toBe(3);
  });

  test('are bounded for all connections of an object, and make room when they end, also after their connection', async () => {
    const { api, context, connect } = createObject({ limits: { maxObjectCallsInFlight: 4 } });
    const [first, second] = [connect(), connect()];
    first.send(1, call('wait'), call('wait'), call('wait'));
    await until(() => api.ran === 3);
    second.send(1, call('wait'), call('wait'));
    await until(() => second.entries.length > 0);
    expect(second.entries).toEqual([2, [1, ['OVERLOADED', expect.stringMatching(/^maxObjectCallsInFlight /)]]]);
    first.session.closed();
    expect(context.load.calls).toBe(4);
    for (const gate of api.gates) gate.resolve();
    await turns(2);
    expect(context.load.calls).toBe(0);
    second.send(3, call('wait'));
    expect(api.ran).toBe(5);
  });

  test('keep no more than maxBytesInFlight of frames, though one alone may have more', async () => {
    const { api, connect } = createObject({ limits: { maxBytesInFlight: 10_000 } });
    const { send, entries } = connect();
    send(1, call('take', new Uint8Array(20_000)));
    send(2, call('count'), call('count'));
    expect(entries).toEqual([2, [2, ['OVERLOADED', expect.stringMatching(/^maxBytesInFlight /), -1]]]);
    expect(api.ran).toBe(1);
    api.gates[0].resolve();
    await turns(2);
    send(4, call('count'));
    expect(entries.slice(-2)).toEqual([4, [2]]);
    // Each frame counts once, for as long as one of its calls runs.
    send(5, call('take', new Uint8Array(4000)), call('wait'), call('wait'));
    send(8, call('take', new Uint8Array(4000)));
    await until(() => api.gates.length === 4);
    api.gates[1].resolve();
    api.gates[2].resolve();
    await turns(2);
    entries.length = 0;
    send(9, call('take', new Uint8Array(4000)));
    expect(entries).toEqual([9, [2, ['OVERLOADED', expect.any(String), -1]]]);
    api.gates[3].resolve();
    await turns(2);
    entries.length = 0;
    send(10, call('take', new Uint8Array(4000)));
    expect(entries).toEqual([]);
  });
});

describe('calls that are made again', () => {
  test('and find no room may have run before', () => {
    const { connect } = createObject({ limits: { maxCallsInFlight: 1 } });
    const { session, entries, send } = connect();
    send(1, call('wait'));
    session.receive(writeResent(100, [0], sequence(2, call('wait'))));
    session.receive(writeResent(undefined, [0], sequence(3, call('wait'))));
    expect(entries).toEqual([
      2,
      [1, ['OUTCOME_UNKNOWN', expect.stringContaining('maxCallsInFlight')]],
      3,
      [1, ['OVERLOADED', expect.any(String)]],
    ]);
  });
});

test('a subscription that is to go on and finds no room tries again, also where a step of its chain does', () => {
  const { connect } = createObject({ limits: { maxCallsInFlight: 1 } });
  const { session, entries, send } = connect();
  send(1, call('wait'));
  const frame = sequence(2, call('child'), [1, 'count', []], [-1, 0]);
  session.receive(writeResent(100, [1], frame, [[1, ['a.b', 5]]]));
  expect(entries).toEqual([3, [1, ['OVERLOADED', expect.any(String)]]]);
});

describe('rates', () => {
  const rateLimits = { connection: { operationsPerSecond: 0.001, burst: 10 } };
  const refused = [2, ['RATE_LIMITED', expect.any(String), -1, { retryAfterMs: expect.any(Number) }]];

  test('count the operations of a frame, and refuse it as a whole', () => {
    const { api, connect } = createObject({ rateLimits });
    const { send, entries, closes } = connect();
    send(1, ...calls(8));
    entries.length = 0;
    send(9, ...calls(3));
    expect(entries).toEqual([9, refused]);
    send(12, ...calls(2));
    expect([api.ran, closes]).toEqual([10, []]);
  });

  test('do not hold up signals: what the client lets go of is let go of', () => {
    const { connect } = createObject({ rateLimits });
    const { send, session } = connect();
    send(1, call('child'), ...calls(9));
    expect(session.counts.exports).toBe(1);
    send(11, call('count'), [RELEASE, 0, 1]);
    expect(session.counts.exports).toBe(0);
  });

  test('count ten operations of a callback of map as one', async () => {
    const { connectInMemory } = await import('../src/memory.ts');
    const api = new Api();
    using stub = connectInMemory<Api>(api, { rateLimits });
    // Thirty elements, of which each is run and makes a call: six operations, beside the two of the frame.
    await stub.numbers().map(() => stub.count());
    expect(api.ran).toBe(30);
    await expect(Promise.all(calls(3).map(() => stub.count()))).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  });

  test('close a connection that goes on regardless, which then runs nothing', async () => {
    const { api, connect, context } = createObject({ rateLimits });
    const { send, closes } = connect();
    send(1, ...calls(10));
    for (let frame = 0; frame < 99; frame++) send(frame, call('count'));
    await turns(1);
    expect(closes).toEqual([]);
    send(1, call('count'));
    await turns(1);
    expect(closes).toEqual([{ code: 1008, reason: expect.stringMatching(/^RATE_LIMITED: /) }]);
    send(1, call('count'));
    expect([closes.length, api.ran, context.refusals.counts]).toEqual([1, 10, { 'rateLimits.connection': 100 }]);
  });

  const refusedAlone = [1, ['RATE_LIMITED', expect.any(String), { retryAfterMs: expect.any(Number) }]];

  test('say of calls that are made again that nobody knows whether they had run', () => {
    const { connect, api } = createObject({ rateLimits });
    const { session, entries, send } = connect();
    send(1, ...calls(10));
    entries.length = 0;
    session.receive(writeResent(100, [0], sequence(11, call('count'))));
    session.receive(writeResent(undefined, [0], sequence(12, call('count'))));
    expect(entries).toEqual([
      11,
      [1, ['OUTCOME_UNKNOWN', expect.stringContaining('rateLimits.connection exceeded')]],
      12,
      refusedAlone,
    ]);
    expect(api.ran).toBe(10);
  });

  test('tell a subscription that is to go on to try again: it has no effect that anybody would not know of', () => {
    const { connect, api } = createObject({ rateLimits });
    const { session, entries, send } = connect();
    send(1, ...calls(10));
    entries.length = 0;
    session.receive(writeResent(100, [1], sequence(11, call('count'), [1, 'count', []], [-1, 0]), [[1, ['a.b', 5]]]));
    session.receive(writeResent(100, [0, 1], sequence(13, call('count'), call('count')), [[1, ['a.b', 5]]]));
    // Each has an answer of its own, since others of the frame may be on their way, sent again in another message.
    expect(entries).toEqual([12, refusedAlone, 13, [1, ['OUTCOME_UNKNOWN', expect.any(String)]], refusedAlone]);
    expect(api.ran).toBe(10);
  });

  test('leave by default what an honest client does', () => {
    const { api, connect } = createObject();
    const { send } = connect();
    for (let frame = 0; frame < 50; frame++) send(1, ...calls(1000));
    expect(api.ran).toBe(50_000);
  });
});

test('a value that is not accepted is named where it is, also in a frame that is sent again', () => {
  const { connect, api } = createObject();
  const { session, entries, closes, send } = connect();
  const message = expect.stringMatching(/^count\(\): at argument 1\[0\]: RegExp is not accepted here/);
  send(1, call('count', 1, [/a/]));
  session.receive(writeResent(100, [0], sequence(2, call('count', 1, [/a/]))));
  const refused = [2, ['NOT_CLONEABLE', message, 0]];
  expect([entries, closes, api.ran]).toEqual([[1, refused, 2, refused], [], 0]);
});

describe('a caller whose identity expires', () => {
  test('is served until then, and after that told so: nothing runs, and the connection is closed', () => {
    vi.useFakeTimers({ now: 1000, toFake: ['Date'] });
    try {
      const { api, connect, told } = createObject();
      const { send, entries, closes } = connect(2000);
      send(1, call('count'));
      vi.setSystemTime(1999);
      send(2, call('count'));
      expect([entries.splice(0), closes]).toEqual([[1, [1], 2, [2]], []]);
      vi.setSystemTime(2000);
      send(3, call('count'), call('count'));
      expect(entries).toEqual([3, [2, ['EXPIRED', expect.any(String), -1]]]);
      expect(closes).toEqual([{ code: 4401, reason: expect.stringMatching(/^EXPIRED: /) }]);
      send(5, call('count'));
      expect([api.ran, closes.length, told]).toEqual([2, 1, ['EXPIRED a frame']]);
    } finally {
      vi.useRealTimers();
    }
  });
});

test('a limit that is undefined is its default', () => {
  const { api, context, connect } = createObject({ limits: { maxOperationsPerFrame: undefined } });
  connect().send(1, ...calls(10_001));
  expect([api.ran, context.refusals.counts]).toEqual([0, { maxOperationsPerFrame: 1 }]);
});

describe('refusals', () => {
  test('are counted by limit, or else by code, and told of', () => {
    const { connect, context, told } = createObject({ limits: { maxOperationsPerFrame: 5, maxReferences: 0 } });
    const { send, session } = connect();
    send(1, ...calls(6));
    send(1, call('nothing'), call('guarded'), call('guarded'), call('child'));
    send(1, 'garbage');
    session.receiveText('garbage');
    send('garbage');
    const last = connect();
    last.session.receiveText('garbage');
    connect().send('garbage');
    expect(context.refusals.counts).toEqual({
      maxOperationsPerFrame: 1,
      METHOD_NOT_FOUND: 1,
      DENIED: 2,
      maxReferences: 1,
      MALFORMED_FRAME: 4,
    });
    expect(told).toEqual([
      'LIMIT_EXCEEDED a frame',
      'METHOD_NOT_FOUND nothing',
      'DENIED guarded',
      'DENIED guarded',
      'LIMIT_EXCEEDED child',
      'MALFORMED_FRAME a frame',
      'MALFORMED_FRAME a frame',
      'MALFORMED_FRAME a frame',
      'MALFORMED_FRAME a frame',
    ]);
  });
});

describe('signals of a frame that is sent again', () => {
  test('count if they are about the client, and not about the connection that was lost', () => {
    const all = [ACKNOWLEDGE, LEAVE, CANCEL, CONSUMED, FORGET, RELEASE];
    expect(all.filter((kind) => survivesLoss([kind]))).toEqual([ACKNOWLEDGE, LEAVE]);
  });

  test.each([
    ['where its calls run', {}],
    ['where its calls are refused', { rateLimits: { connection: { operationsPerSecond: 0.001, burst: 1 } } }],
  ])('are handled once %s', (_where, options) => {
    const { told, results, session } = createStored(options);
    session.receive(writeResent(5, [0, 1], sequence(1, ...calls(2), [RELEASE, 7, 1], [ACKNOWLEDGE, 8, 9], [LEAVE])));
    expect(results).toEqual(['acknowledge 8,9', 'forget']);
    expect(told.length).toBe('rateLimits' in options ? 1 : 0);
  });
});

/** A session whose client's stored results are only noted. */
function createStored(options: RpcServerOptions) {
  const results: string[] = [];
  const told: string[] = [];
  const context = createServerContext({ onRefused: (code) => told.push(code), ...options });
  const store: ResultStore = {
    run: (_call, _method, _args, run) => run(),
    find: () => undefined,
    acknowledge: (ids) => results.push(`acknowledge ${ids}`),
    forget: () => results.push('forget'),
  };
  const { transport } = recordedTransport();
  return { told, results, session: new ServerSession(new Api(), transport, context, { results: () => store }) };
}
