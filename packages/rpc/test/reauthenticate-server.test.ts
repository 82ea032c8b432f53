import { type Caller, callContext, expiring, RpcError, RpcTarget } from '@lumenize/rpc/server';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { SENT_AGAIN } from '../src/protocol/signal.ts';
import { CHANNELS, FUNCTION, PART, READABLE, REVERSED, TARGET, TOKEN, TOKEN_CALL_ID } from '../src/protocol/tags.ts';
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
const renewable = [2, ['EXPIRED', expect.any(String), -1, { renewable: true }]];
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

  test.each(['eve', 'ada'])('changes nothing if the rate limit cannot name a caller: %s', (unknown) => {
    const by = ({ identity }: Caller) => {
      if (identity === unknown) throw new Error('a secret of the server');
      return String(identity);
    };
    const { session, show, entries, closes, targets, errors } = setup({
      reauthenticate: () => 'eve',
      rateLimits: { identity: { operationsPerSecond: 1, burst: 1, by } },
    });
    show('abc');
    expect([entries, closes]).toEqual([refusedToken('DENIED'), []]);
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

  test('is told so, and goes on with a new token', () => {
    const { send, show, entries, closes } = setup({ reauthenticate: () => expiring('eve', 3000) }, 2000);
    send(1, call('who'));
    vi.setSystemTime(2000);
    send(2, call('who'), call('who'));
    send(4, call('who'));
    show('abc');
    send(5, call('who'));
    vi.setSystemTime(3000);
    send(6, call('who'));
    expect(entries).toEqual([
      // For how long it is good is said with the first answer, and with each new token.
      ...[0, [1000], 1, ['ada by ada'], 2, renewable, 4, renewable, TOKEN_CALL_ID, [1000]],
      ...[5, ['eve by eve'], 6, renewable],
    ]);
    expect(closes).toEqual([]);
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
    expect(entries).toEqual([2, renewable, TOKEN_CALL_ID, [1, expect.any(Array)]]);
    expect(closes).toEqual(['4401 EXPIRED']);
  });

  test('has ten seconds from the first frame on, and not more than a hundred frames', () => {
    for (const isSlow of [true, false]) {
      vi.setSystemTime(1000);
      const { send, entries, closes } = setup({ reauthenticate: () => 'eve' }, 2000);
      vi.setSystemTime(60_000);
      send(1, call('who'));
      if (isSlow) vi.setSystemTime(70_000);
      for (let frame = 0; frame < (isSlow ? 1 : 99); frame++) send(2, call('who'));
      expect([entries.at(-1), closes]).toEqual([renewable, []]);
      if (isSlow) vi.setSystemTime(70_001);
      send(3, call('who'));
      expect(entries.slice(-2)).toEqual([3, final]);
      expect(closes).toEqual(['4401 EXPIRED']);
    }
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
    // Told once, by the number of no call.
    expect(entries).toEqual([0, renewable]);
    show('abc');
    send(4, [SENT_AGAIN]);
    await until(() => session.counts.channels + session.counts.exports === 0);
    expect(session.counts).toMatchObject({ exports: 0, callsInFlight: 0, channels: 0 });
    expect(entries.slice(2, 4)).toEqual(taken);
    expect(entries).toContainEqual(['answer']);
    expect(closes).toEqual([]);
  });

  test('lets go of nothing that its refused calls use before it has sent them again', async () => {
    const { session, send, show, entries } = setup({ reauthenticate: () => 'eve' }, 2000);
    send(1, call('child'));
    entries.length = 0;
    vi.setSystemTime(2000);
    const refused = [2, [-16, 'who', []]];
    send(...refused);
    send(3, [-2, 0, 1]);
    send(4, [SENT_AGAIN]);
    show('abc');
    await turns(1);
    send(...refused);
    expect(entries).toEqual([2, renewable, ...taken, 2, ['eve by ada']]);
    expect(session.counts.exports).toBe(1);
    send(5, [SENT_AGAIN]);
    expect(session.counts.exports).toBe(0);
    await session.idle;
    expect(session.idle).toBeUndefined();
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

  test.each([
    ['no token', () => undefined],
    ['a token', (show: (token: string) => void) => show('abc')],
  ])('does not keep the object awake once the connection is lost: behind %s', (_what, renew) => {
    const { session, send, show } = setup({ reauthenticate: () => 'eve' }, 2000);
    vi.setSystemTime(2000);
    send(3, [-2, 0, 1]);
    renew(show);
    expect(session.idle).toBeInstanceOf(Promise);
    session.closed();
    expect(session.idle).toBeUndefined();
  });

  test('has its late signals handled at the end of the grace period at the latest', async () => {
    vi.useFakeTimers({ now: 1000, toFake: ['Date', 'setTimeout', 'clearTimeout'] });
    const { session, send, show, closes } = setup({ reauthenticate: () => 'eve' }, 2000);
    send(1, call('child'), call('child'));
    vi.setSystemTime(2000);
    send(3, [-2, 0, 1]);
    send(4, [-2, 1, 1]);
    show('abc');
    expect(session.counts.exports).toBe(2);
    await vi.advanceTimersByTimeAsync(10_001);
    expect([session.counts.exports, session.idle, closes]).toEqual([0, undefined, []]);
  });

  test.each([
    ['calls that pass a stream', [1, call('reads', new Extended(READABLE, 0))]],
    ['parts of a frame', [PART, 1, new Uint8Array(10)]],
    ['garbage', ['garbage']],
  ])('loses the connection by %s, which cannot be made again', (_what, values) => {
    const { send, closes } = setup({ reauthenticate: () => 'eve' }, 1);
    send(...values);
    expect(closes).toEqual(['4401 EXPIRED']);
  });

  test('has calls that could not be read refused like others', () => {
    const { send, entries, closes } = setup({ reauthenticate: () => 'eve' }, 1);
    send(1, 'garbage');
    expect([entries, closes]).toEqual([[1, renewable], []]);
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
