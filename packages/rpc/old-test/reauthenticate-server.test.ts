import { type Caller, callContext, expiring, RpcError, RpcTarget } from '@lumenize/rpc/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { CHANNELS, FUNCTION, READABLE, REVERSED, TARGET, TOKEN, TOKEN_CALL_ID } from '../src/protocol/tags.ts';
import { isTokenFrame, writeToken } from '../src/protocol/token.ts';
import { NativeEvents } from '../src/server/native-connection.ts';
import type { RpcServerOptions } from '../src/server/options.ts';
import { createServerContext } from '../src/server/server-context.ts';
import { ServerSession } from '../src/server/session.ts';
import type { Transport } from '../src/transport/transport.ts';
import { Extended, sequence, valuesOf } from './support/frames.ts';
import { turns, until } from './support/until.ts';

class Api extends RpcTarget {
  readonly owner: unknown;
  readonly gates: PromiseWithResolvers<void>[] = [];
  constructor(owner: unknown) {
    super();
    this.owner = owner;
  }
  who() {
    return `${callContext().caller?.identity} by ${this.owner}`;
  }
  async slowly() {
    const gate = Promise.withResolvers<void>();
    this.gates.push(gate);
    const call = callContext();
    await gate.promise;
    return call.caller?.identity;
  }
  child() {
    return new Api(this.owner);
  }
  asks(callback: () => unknown) {
    return callback();
  }
  async reads(stream: ReadableStream) {
    let chunks = 0;
    for await (const _chunk of stream) chunks++;
    return chunks;
  }
}

/** A session of ada's that frames are sent to by hand, with what it answered and how it closed. */
function setup(options: RpcServerOptions = {}, expiresAt?: number) {
  const entries: unknown[] = [];
  const closes: string[] = [];
  const told: string[] = [];
  const errors: unknown[] = [];
  const targets: Api[] = [new Api('ada')];
  const context = createServerContext({
    onRefused: (code, what, caller) => told.push(`${code} ${what} ${caller?.identity}`),
    onError: (error) => errors.push(error),
    ...options,
  });
  const transport: Transport = {
    send: (bytes) => entries.push(...valuesOf(bytes)),
    close: (code, reason) => closes.push(`${code} ${reason.replace(/:.*/, '')}`),
  };
  const session: ServerSession = new ServerSession(targets[0], transport, context, {
    caller: { identity: 'ada', connectionId: 'x', expiresAt },
    renewed: ({ identity }) => {
      if (identity === 'mallory') throw new RpcError('DENIED', 'not mallory');
      targets.push(new Api(identity));
      return targets.at(-1);
    },
  });
  return {
    session,
    events: new NativeEvents(session, transport),
    entries,
    closes,
    told,
    errors,
    targets,
    context,
    send: (...values: unknown[]) => session.receive(sequence(...values)),
    show: (token: string) => session.receive(writeToken(token)),
  };
}

const call = (path: string, ...args: unknown[]) => [0, path, args];
const taken = [TOKEN_CALL_ID, []];
const refusedToken = (code: string, ...data: unknown[]) => [TOKEN_CALL_ID, [1, [code, expect.any(String), ...data]]];
/** Says that calls from this id on wait for a new token. */
const held = (from?: number) => [0, [2, ['EXPIRED', expect.any(String), -1, from === undefined ? {} : { from }]]];
const final = [2, ['EXPIRED', expect.any(String), -1]];

test('a token is the frame that the protocol says', () => {
  expect(writeToken('abc')).toBe('[-5,9007199254740991,"abc"]');
  const { show, entries } = setup({ reauthenticate: () => 'eve' });
  show('abc');
  expect(entries).toEqual(taken);
});

test.each([
  ['[-5,0,"abc"]', true],
  ['[-5]', true],
  ['[-50,0,"abc"]', false],
  ['[-5.5,0,"abc"]', false],
  ['[5,0,"abc"]', false],
  ['-5,0,"abc"', false],
])('%s is a frame with a token: %s', (frame, isToken) => {
  expect(isTokenFrame(frame)).toBe(isToken);
});

test('a frame with another number that begins like that of tokens is not taken for one', () => {
  const { session, closes, told } = setup({ reauthenticate: () => 'eve' });
  session.receive('[-50,0,"abc"]');
  expect(closes).toEqual(['1007 MALFORMED_FRAME']);
  expect(told).toEqual(['MALFORMED_FRAME a frame ada']);
});

describe('a new token', () => {
  test('makes another caller of the same connection, and another target, at once where that is known at once', () => {
    const asked: [string, Caller][] = [];
    const { session, send, show, entries, targets } = setup({
      reauthenticate: (token, caller) => {
        asked.push([token, caller]);
        return expiring('eve', 5000 + Date.now());
      },
    });
    vi.setSystemTime(1000);
    send(1, call('child'), call('who'));
    show('abc');
    send(3, call('who'), [-16, 'who', []]);
    expect(asked).toEqual([['abc', { identity: 'ada', connectionId: 'x', expiresAt: undefined }]]);
    expect(session.caller).toEqual({ identity: 'eve', connectionId: 'x', expiresAt: expect.any(Number) });
    expect(targets).toHaveLength(2);
    const child = { name: TARGET, parts: [0] };
    // What was given out before stays what it was.
    expect(entries).toEqual([1, [child], ['ada by ada'], TOKEN_CALL_ID, [5000], 3, ['eve by eve'], ['eve by ada']]);
  });

  test.each([
    ['says nobody', () => undefined, 'DENIED', []],
    ['answers as authenticate may', async () => new Response('log in first', { status: 401 }), 'DENIED', []],
    [
      'throws',
      () => {
        throw new Error('a secret of the server');
      },
      'DENIED',
      [],
    ],
    [
      'rejects with an error of the library',
      async () => {
        throw new RpcError('OVERLOADED', 'later', { data: { in: 5 } });
      },
      'OVERLOADED',
      [{ in: 5 }],
    ],
    ['says one who has expired', () => expiring('eve', 0), 'EXPIRED', []],
    ['says one for whom there is no target', () => 'mallory', 'DENIED', []],
  ])('changes nothing where reauthenticate %s', async (what, reauthenticate, code, data) => {
    const { send, show, entries, closes, told, errors } = setup({ reauthenticate });
    show('abc');
    await turns(1);
    send(1, call('who'));
    expect(entries).toEqual([...refusedToken(code, ...data), 1, ['ada by ada']]);
    expect(JSON.stringify(entries)).not.toContain('secret');
    expect([closes, told, errors.length]).toEqual([[], [`${code} a token ada`], what === 'throws' ? 1 : 0]);
  });

  test.each([
    ['eve', 'DENIED'],
    ['ada', 'NOT_EXECUTED'],
  ] as const)('changes nothing if the rate limit cannot name a caller: %s', (unknown, code) => {
    const by = ({ identity }: Caller) => {
      if (identity === unknown) throw new Error('a secret of the server');
      return String(identity);
    };
    const { session, show, entries, closes, targets, errors } = setup({
      reauthenticate: () => 'eve',
      rateLimits: { identity: { operationsPerSecond: 1, burst: 1, by } },
    });
    show('abc');
    expect([entries, closes]).toEqual([refusedToken(code), []]);
    expect([session.caller?.identity, session.target, errors.length]).toEqual(['ada', targets[0], 1]);
  });

  test('is not taken where nothing is said of that', () => {
    const { show, entries, closes } = setup();
    show('abc');
    expect([entries, closes]).toEqual([refusedToken('METHOD_NOT_FOUND'), []]);
  });

  test.each([
    ['without a number', [TOKEN]],
    ['without a token', [TOKEN, 0]],
    ['that is a number', [TOKEN, 0, 5]],
    ['under a number that is none', [TOKEN, -1, 'abc']],
    ['with something beside it', [TOKEN, 0, 'abc', 'abc']],
    ['that is longer than 8192 characters', [TOKEN, 0, 'x'.repeat(8193)]],
    ['that is a reference', [TOKEN, 0, new Extended(TARGET, 0)]],
  ])('%s is malformed, also where the caller has expired', (_what, values) => {
    for (const expiresAt of [undefined, 0]) {
      const reauthenticate = vi.fn(() => 'eve');
      const { send, closes } = setup({ reauthenticate }, expiresAt);
      send(...values);
      expect([closes, reauthenticate.mock.calls.length]).toEqual([['1007 MALFORMED_FRAME'], 0]);
    }
  });

  test('of the largest size is taken', () => {
    const reauthenticate = vi.fn(() => 'eve');
    const { show, entries } = setup({ reauthenticate });
    show('x'.repeat(8192));
    expect([entries, reauthenticate.mock.calls.length]).toEqual([taken, 1]);
  });
});

describe('while it is found out who the caller is', () => {
  test('frames wait, and then run in order and under the new identity', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { session, send, show, entries } = setup({
      reauthenticate: (token) => (token === 'first' ? promise : Promise.resolve('zoe')),
    });
    show('first');
    send(1, call('who'));
    show('second');
    send(2, call('who'));
    await turns(1);
    expect([entries, session.idle]).toEqual([[], expect.any(Promise)]);
    resolve('eve');
    await session.idle;
    expect(entries).toEqual([...taken, 1, ['eve by eve'], ...taken, 2, ['zoe by zoe']]);
    expect(session.idle).toBeUndefined();
  });

  test('calls that run go on for whom they began', async () => {
    const { send, show, entries, targets } = setup({ reauthenticate: () => 'eve' });
    send(1, call('slowly'));
    show('abc');
    send(2, call('slowly'));
    for (const { gates } of targets) for (const gate of gates) gate.resolve();
    await turns(2);
    expect(entries).toEqual([...taken, 1, ['ada'], ['eve']]);
  });

  test.each([
    ['bytes', 1, new Uint8Array(40_000)],
    ['frames', 200, undefined],
  ])('too many %s that wait end the connection, which can come again', (_what, count, more) => {
    const { send, show, closes, told } = setup({
      limits: { maxBytesInFlight: 50_000 },
      reauthenticate: () => new Promise(() => {}),
    });
    show('abc');
    for (let frame = 0; frame <= count; frame++) send(1, call('child', more));
    expect([closes, told]).toEqual([['1013 OVERLOADED'], ['OVERLOADED a frame ada']]);
  });

  test('a connection may be lost, and nothing comes of it', async () => {
    const { promise, resolve } = Promise.withResolvers<string>();
    const { session, show, entries, targets } = setup({ reauthenticate: () => promise });
    show('abc');
    session.closed();
    resolve('eve');
    await turns(1);
    expect([entries, targets.length, session.idle]).toEqual([[], 1, undefined]);
  });
});

describe('a caller who has expired', () => {
  beforeEach(() => void vi.useFakeTimers({ now: 1000, toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  test('is told so once, and goes on with a new token, and what was called before it runs first', async () => {
    const { send, show, entries, closes, told } = setup({ reauthenticate: () => expiring('eve', 3000) }, 2000);
    send(1, call('who'));
    vi.setSystemTime(2000);
    send(2, call('who'), call('who'));
    send(4, call('who'));
    expect(entries.splice(0)).toEqual([0, [1000], 1, ['ada by ada'], ...held(2)]);
    show('abc');
    send(5, call('who'));
    await until(() => entries.length === 9);
    // For how long it is good is said with the first answer, and with each new token.
    const eve = ['eve by eve'];
    expect(entries.splice(0)).toEqual([TOKEN_CALL_ID, [1000], 2, eve, eve, 4, eve, 5, eve]);
    vi.setSystemTime(3000);
    send(6, call('who'));
    expect(entries).toEqual(held(6));
    expect([closes, told]).toEqual([[], ['EXPIRED a frame ada', 'EXPIRED a frame eve']]);
  });

  test('is not told when that is where it cannot be renewed, or does not expire', () => {
    for (const { send, entries } of [setup({}, 2000), setup({ reauthenticate: () => 'eve' })]) {
      vi.setSystemTime(1000);
      send(1, call('who'));
      expect(entries).toEqual([1, ['ada by ada']]);
    }
  });

  test.each([
    ['no more', () => undefined],
    ['too fast', () => 'eve'],
  ])('and whose token is refused is let in %s', (what, reauthenticate) => {
    const rateLimits = { connection: { operationsPerSecond: 0.001, burst: 1 } };
    const { send, show, entries, closes } = setup({ reauthenticate, ...(what === 'too fast' && { rateLimits }) }, 2000);
    if (what === 'too fast') send(1, call('who'));
    entries.length = 0;
    vi.setSystemTime(2000);
    send(2, call('who'));
    show('abc');
    send(3, call('who'));
    // That the call did not run is said before the client hears that it is refused.
    expect(entries).toEqual([...held(2), 2, final, TOKEN_CALL_ID, [1, expect.any(Array)]]);
    expect(closes).toEqual(['4401 EXPIRED']);
  });

  test('has ten seconds from the first frame on, and then nothing has run', () => {
    vi.useFakeTimers({ now: 1000, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { session, send, entries, closes } = setup({ reauthenticate: () => 'eve' }, 2000);
    vi.setSystemTime(60_000);
    send(1, call('who'));
    vi.advanceTimersByTime(9999);
    send(2, call('who'));
    expect([entries.splice(0), closes]).toEqual([held(1), []]);
    vi.advanceTimersByTime(1);
    expect([entries, closes, session.idle]).toEqual([[1, final, 2, final], ['4401 EXPIRED'], undefined]);
  });

  test.each([
    ['bytes', 1, new Uint8Array(40_000)],
    ['frames', 200, undefined],
  ])('has no more wait than may: too many %s end the connection', (_what, count, more) => {
    const { send, closes } = setup({ limits: { maxBytesInFlight: 50_000 }, reauthenticate: () => 'eve' }, 1);
    for (let frame = 0; frame <= count; frame++) send(1, call('child', more));
    expect(closes).toEqual(['1013 OVERLOADED']);
  });

  test('has what is not answered wait: signals, results and chunks', async () => {
    const { session, send, show, entries, closes } = setup({ reauthenticate: () => 'eve' }, 2000);
    send(1, call('child'), call('asks', new Extended(FUNCTION, 0)), call('reads', new Extended(READABLE, 0)));
    entries.length = 0;
    vi.setSystemTime(2000);
    send(3, [-2, 0, 1]);
    send(REVERSED, 1, ['answer']);
    send(CHANNELS, [0, 1, 'chunk']);
    send(CHANNELS, [0, 2]);
    expect(session.counts).toMatchObject({ exports: 1, callsInFlight: 1, channels: 1 });
    expect(entries).toEqual(held(3));
    show('abc');
    await until(() => session.counts.channels + session.counts.exports === 0);
    expect(session.counts).toMatchObject({ exports: 0, callsInFlight: 0, channels: 0 });
    expect(entries.slice(2, 4)).toEqual(taken);
    expect(entries).toContainEqual(['answer']);
    expect(closes).toEqual([]);
  });

  test.each([
    ['none', () => undefined, ['4401 EXPIRED']],
    ['one', (show: (token: string) => void) => show('abc'), []],
  ])(
    'keeps the object awake with what waits, but not for longer than it may: with %s, a new token',
    (_what, renew, closed) => {
      vi.useFakeTimers({ now: 1000, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
      const { session, send, show, closes } = setup({ reauthenticate: () => 'eve' }, 2000);
      vi.setSystemTime(2000);
      send(3, [-2, 0, 1]);
      expect(session.idle).toBeInstanceOf(Promise);
      renew(show);
      vi.advanceTimersByTime(10_000);
      expect([session.idle, closes]).toEqual([undefined, closed]);
    },
  );

  test('does not keep the object awake once the connection is lost', () => {
    const { session, send } = setup({ reauthenticate: () => 'eve' }, 2000);
    vi.setSystemTime(2000);
    send(3, [-2, 0, 1]);
    expect(session.idle).toBeInstanceOf(Promise);
    session.closed();
    expect(session.idle).toBeUndefined();
  });

  test('is answered nothing more once the connection has ended', () => {
    vi.useFakeTimers({ now: 1000, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { session, send, entries, closes } = setup(
      { limits: { maxBytesInFlight: 2000 }, reauthenticate: () => 'eve' },
      1,
    );
    for (let id = 1; id <= 5; id++) send(id, call('who'));
    expect([entries, closes, session.idle]).toEqual([held(1), ['1013 OVERLOADED'], undefined]);
    vi.advanceTimersByTime(10_000);
    expect([entries, closes]).toEqual([held(1), ['1013 OVERLOADED']]);
  });

  test('has streams that calls pass wait too, and results first: the calls behind them are named', async () => {
    const { send, show, entries } = setup({ reauthenticate: () => 'eve' }, 1);
    send(REVERSED, 1, ['late']);
    send(7, call('reads', new Extended(READABLE, 0)));
    send(CHANNELS, [0, 0, 'chunk']);
    send(CHANNELS, [0, 1]);
    expect(entries.splice(0)).toEqual([...held(), ...held(7)]);
    show('abc');
    await until(() => entries.includes(7));
    expect(entries.slice(entries.indexOf(7))).toEqual([7, [1]]);
  });

  test('loses the connection by garbage once there is a new token, and is told of calls that could not be read', async () => {
    const { send, show, entries, closes } = setup({ reauthenticate: () => 'eve' }, 1);
    send(1, 'garbage');
    send('garbage');
    expect([entries.splice(0), closes]).toEqual([held(1), []]);
    show('abc');
    await until(() => closes.length > 0);
    expect(entries.slice(2, 4)).toEqual([1, [2, ['MALFORMED_FRAME', expect.any(String), 0]]]);
    expect(closes).toEqual(['1007 MALFORMED_FRAME']);
  });

  test('is told of calls that waited that they did not run where an event ends the connection', () => {
    const { events, send, show, entries, closes } = setup({ reauthenticate: () => new Promise(() => {}) }, 1);
    send(1, call('who'));
    show('abc');
    send(2, call('who'));
    events.sendEvents([sequence('event')], Date.now());
    expect([entries, closes]).toEqual([[...held(1), 1, final, 2, final], ['4401 EXPIRED']]);
  });

  test('is sent no events without a new token', () => {
    const { events, show, entries, closes } = setup({ reauthenticate: () => 'eve' }, 2000);
    vi.setSystemTime(2000);
    show('abc');
    events.sendEvents([sequence('event')], Date.now());
    expect(entries).toEqual([...taken, 'event']);
    const other = setup({ reauthenticate: () => 'eve' }, 2000);
    other.events.sendEvents([sequence('event')], Date.now());
    expect([other.entries, other.closes, closes]).toEqual([[], ['4401 EXPIRED'], []]);
  });
});

test('rates of a connection go on under another identity, and those of an identity are the new one’s', () => {
  const rateLimits = {
    connection: { operationsPerSecond: 0.001, burst: 10 },
    identity: { operationsPerSecond: 0.001, burst: 5, by: ({ identity }: Caller) => `${identity}` },
  };
  const { send, show, entries, told } = setup({ rateLimits, reauthenticate: (token) => token });
  send(1, ...Array.from({ length: 5 }, () => call('child')));
  show('eve');
  expect(entries.slice(-2)).toEqual(refusedToken('RATE_LIMITED', expect.anything()));
  const other = setup({ rateLimits, reauthenticate: (token) => token });
  other.send(1, ...Array.from({ length: 4 }, () => call('child')));
  other.show('eve');
  other.send(5, ...Array.from({ length: 5 }, () => call('child')));
  other.send(10, call('child'));
  expect(told).toEqual(['RATE_LIMITED a token ada']);
  expect(other.told).toEqual(['RATE_LIMITED a frame eve']);
});
