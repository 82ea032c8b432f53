import { RpcError, RpcTarget } from '@lumenize/rpc/server';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { ServerOptions } from '../src/server/server-options.ts';
import { serverSettings } from '../src/server/settings.ts';
import { serve, until } from './support/serve.ts';

class Api extends RpcTarget {
  readonly gates: PromiseWithResolvers<unknown>[] = [];
  ran = 0;

  static readonly rpc = { guarded: { guard: () => false }, broken: { guard: () => fail() } };

  count(): number {
    return ++this.ran;
  }

  wait(_value?: unknown): Promise<unknown> {
    const gate = Promise.withResolvers<unknown>();
    this.gates.push(gate);
    return gate.promise;
  }

  text(length: number): string {
    return 'x'.repeat(length);
  }

  guarded(): void {}
  broken(): void {}

  throws(): never {
    throw new TypeError('a defect');
  }

  refuses(): never {
    throw new RpcError('DENIED', 'not today');
  }
}

function fail(): boolean {
  throw new TypeError('the guard is broken');
}

function served(options: ServerOptions & { identity?: unknown } = {}) {
  const refused: unknown[] = [];
  const errors: unknown[] = [];
  const api = new Api();
  const onRefused = (...told: unknown[]) => void refused.push(told.slice(0, 2));
  const onError = (error: unknown, method: string) => void errors.push([(error as Error).message, method]);
  return { api, refused, errors, ...serve(api, { onRefused, onError, ...options }) };
}

const calls = (count: number, name = 'count') => Array.from({ length: count }, () => [name, []]);

afterEach(() => void vi.useRealTimers());

describe('rates', () => {
  const connection = { operationsPerSecond: 10, burst: 5 };

  test('refuse a frame as a whole, say when to call again, and count it once', () => {
    vi.useFakeTimers();
    const { send, sent, answers, api, refused, settings } = served({ rateLimits: { connection } });
    send([1, ...calls(4)]);
    send([5, ...calls(3)]);
    expect(api.ran).toBe(4);
    expect([answers().get(5), answers().get(7)]).toEqual(['RATE_LIMITED', 'RATE_LIMITED']);
    expect(String(sent.at(-1))).toContain('{"retryAfterMs":200}');
    expect(refused).toEqual([['RATE_LIMITED', 'a frame']]);
    expect(Object.fromEntries(settings.shared.refusals)).toEqual({ 'rateLimits.connection': 1 });
    vi.advanceTimersByTime(200);
    send([8, ...calls(3)]);
    expect(api.ran).toBe(7);
  });

  test('count the steps of chains, and results that arguments refer to', () => {
    const { send, answers } = served({ rateLimits: { connection } });
    send([1, ['count', [], 'a', 'b', 'c', 'd', 'e']]);
    expect(answers().get(1)).toBe('LIMIT_EXCEEDED');
    send([2, ['count', []], ['count', { $: [{ $result: [0] }], of: [-2, -2, -2, -2] }]]);
    expect(answers().get(2)).toBe('LIMIT_EXCEEDED');
  });

  test('never refuse a larger burst for its time, but for good', () => {
    const { send, answers } = served({ rateLimits: { connection } });
    send([1, ...calls(6)]);
    expect(answers().get(1)).toBe('LIMIT_EXCEEDED');
  });

  test('are shared by callers of one name, and follow no client that goes on and on', () => {
    vi.useFakeTimers();
    const by = ({ identity }: { identity: unknown }) => identity as string;
    const options = { rateLimits: { identity: { ...connection, by } }, identity: 'ada' };
    const first = served(options);
    first.send([1, ...calls(5)]);
    for (let at = 0; at < 100; at++) first.send([10 + at, ['count', []]]);
    expect(first.api.ran).toBe(5);
    expect(first.closes).toEqual([{ code: 1008, reason: expect.stringMatching(/^RATE_LIMITED: rateLimits.identity/) }]);
  });

  test('that cannot be named refuse calls, run nothing, and report the defect', () => {
    const { send, answers, api, errors } = served({ rateLimits: { identity: { ...connection, by: fail as never } } });
    send([1, ['count', []]]);
    expect([answers().get(1), api.ran]).toEqual(['NOT_EXECUTED', 0]);
    expect(errors).toEqual([['the guard is broken', 'a frame']]);
  });

  test('say of a call that is sent again only that nobody knows', () => {
    const { send, answers } = served({ rateLimits: { connection } });
    send([1, ...calls(5)]);
    send({ again: [6, ['count', []]], open: [6], ms: 10 });
    expect(answers().get(6)).toBe('OUTCOME_UNKNOWN');
  });

  test('end a connection that sends nothing but signals', () => {
    const { send, closes } = served({ rateLimits: { connection } });
    for (let at = 0; at < 20; at++) send({ cancel: [] });
    expect(closes).toEqual([{ code: 1008, reason: 'RATE_LIMITED: too many signals' }]);
  });
});

describe('what waits', () => {
  test('of one connection is bounded by the memory of its frames, and runs on when it is less', async () => {
    const { send, answers, api, refused } = served({ limits: { maxBytesInFlight: 100_000 } });
    const large = 'x'.repeat(40_000);
    send([1, ['wait', [large]]]);
    send([2, ['wait', [large]]]);
    send([3, ['count', []]]);
    expect([answers().get(2), answers().get(3), api.ran]).toEqual(['OVERLOADED', 1, 1]);
    expect(refused).toEqual([['OVERLOADED', 'a frame']]);
    api.gates[0].resolve(0);
    await until(() => answers().has(1));
    send([4, ['wait', [large]]]);
    expect(api.gates).toHaveLength(2);
  });

  test('counts what many brackets become, however few their bytes are', () => {
    const { send, answers } = served({ limits: { maxBytesInFlight: 1_000_000 } });
    send([1, ['wait', []]]);
    send(`[2,["wait",[[${'[],'.repeat(5000)}0]]]]`);
    expect(answers().get(2)).toBe('OVERLOADED');
  });

  test('may have any size alone', () => {
    const { send, api } = served({ limits: { maxBytesInFlight: 1000 } });
    send([1, ['wait', ['x'.repeat(5000)]]]);
    expect(api.gates).toHaveLength(1);
  });

  test('of all connections of an object is bounded together', async () => {
    const { send, settings, answers, api } = served({ limits: { maxObjectCallsInFlight: 2 } });
    settings.shared.calls = 1; // of another connection
    send([1, ['wait', []]]);
    send([2, ['wait', []]]);
    expect(answers().get(2)).toBe('OVERLOADED');
    send({ cancel: [1, 'CANCELLED'] });
    expect(settings.shared.calls).toBe(1);
    send([3, ['wait', []]]);
    await until(() => api.gates.length === 2);
  });
});

describe('a client that does not read', () => {
  const limits = { maxBytesInFlight: 10_000 };
  const asked = (sent: readonly unknown[]) => sent.filter((message) => String(message).startsWith('{"read"'));

  test('is asked when much is unread, and nothing more runs for it until it has read', async () => {
    const { send, sent, api, answers, session } = served({ limits });
    send([1, ['text', [1500]]]);
    expect(asked(sent)).toEqual([expect.any(String)]);
    send([2, ['text', [4000]]]);
    send([3, ['count', []], ['count', []]]);
    expect(api.ran).toBe(0);
    expect(session.idle).toBeDefined();
    send(asked(sent)[0]);
    send(asked(sent)[1]);
    await until(() => answers().has(4));
    expect(api.ran).toBe(2);
  });

  test('cannot say so without having read', async () => {
    const { send, api } = served({ limits });
    send([1, ['text', [6000]]]);
    send({ read: 'something' });
    send({ read: null });
    send([2, ['count', []]]);
    for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setTimeout(resolve));
    expect(api.ran).toBe(0);
  });

  test('is disconnected at twice as much, and after five minutes, and may come again', () => {
    vi.useFakeTimers();
    const much = served({ limits });
    much.send([1, ['text', [21_000]]]);
    const long = served({ limits });
    long.send([1, ['text', [6000]]]);
    expect(long.closes).toEqual([]);
    vi.advanceTimersByTime(300_000);
    const close = { code: 1013, reason: expect.stringMatching(/^OVERLOADED: /) };
    expect([much.closes, long.closes]).toEqual([[close], [close]]);
  });

  test('costs nothing once it is gone', () => {
    vi.useFakeTimers();
    const { send, session, closes } = served({ limits });
    send([1, ['text', [6000]]]);
    session.closed();
    expect(vi.getTimerCount()).toBe(0);
    expect(closes).toEqual([]);
  });
});

describe('what is reported', () => {
  test('is a defect to onError, and a refusal to onRefused', () => {
    const { send, refused, errors, settings } = served();
    send([1, ['throws', []], ['guarded', []], ['broken', []], ['missing', []], ['refuses', []]]);
    expect(errors).toEqual([
      ['a defect', 'throws'],
      ['the guard is broken', 'broken'],
      ['not today', 'refuses'],
    ]);
    expect(refused).toEqual([
      ['DENIED', 'guarded'],
      ['DENIED', 'broken'],
      ['METHOD_NOT_FOUND', 'missing'],
    ]);
    expect(settings.shared.counts).toMatchObject({
      callsSucceeded: 0,
      callsFailed: 5,
      framesReceived: 1,
      framesSent: 1,
    });
  });

  test('is logged without onError if it looks like a defect, ten lines a second at most', () => {
    vi.useFakeTimers({ toFake: ['Date'] });
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { send } = serve(new Api());
    send([1, ...calls(50, 'throws'), ...calls(5, 'refuses')]);
    expect(log).toHaveBeenCalledTimes(10);
    expect(log.mock.calls[0]).toEqual(['throws() failed:', expect.any(TypeError)]);
    log.mockRestore();
  });

  test('never includes what ends a connection: the client gets no details of a failure of the server', () => {
    const { send, closes, refused } = served();
    send('[1,');
    expect(closes).toEqual([{ code: 1007, reason: 'MALFORMED_FRAME: malformed: a frame is not JSON' }]);
    expect(refused).toEqual([['MALFORMED_FRAME', 'a frame']]);
  });

  test('does not depend on hooks that throw', () => {
    const log = vi.spyOn(console, 'error').mockImplementation(() => {});
    const { send, answers } = serve(new Api(), { onError: fail, onRefused: fail });
    send([1, ['throws', []], ['guarded', []], ['count', []]]);
    expect(answers().get(3)).toBe(1);
    log.mockRestore();
  });
});

describe('options at their extremes', () => {
  test.each([
    ['limits', { limits: { maxBytesInFlight: -1 } }, 'maxBytesInFlight'],
    ['limits', { limits: { maxObjects: Number.NaN } }, 'maxObjects'],
    ['limits', { limits: { maxCallsInFlight: '5' } }, 'maxCallsInFlight'],
    ['limits', { limits: null }, 'limits'],
    ['storedResults', { storedResults: { retentionMs: -5 } }, 'retentionMs'],
    ['storedResults', { storedResults: { maxResults: 'all' } }, 'maxResults'],
    ['onError', { onError: 'log' }, 'onError'],
    ['onRefused', { onRefused: {} }, 'onRefused'],
    ['errorStacks', { errorStacks: 1 }, 'errorStacks'],
    ['refuse', { refuse: 'RegExp' }, 'refuse'],
    ['rateLimits', { rateLimits: { connection: { operationsPerSecond: 0, burst: 1 } } }, 'rateLimits.connection'],
    [
      'rateLimits',
      { rateLimits: { connection: { operationsPerSecond: 1, burst: Number.NaN } } },
      'rateLimits.connection',
    ],
    ['rateLimits', { rateLimits: { identity: { operationsPerSecond: -1, burst: 1 } } }, 'rateLimits.identity'],
  ])('%s: %j is a TypeError that names it', (_name, options, named) => {
    expect(() => serverSettings(options as never)).toThrow(TypeError);
    expect(() => serverSettings(options as never)).toThrow(named);
  });

  test('errors are answered where there is no room for an object', () => {
    const { send, answers, closes } = serve(new Api(), { limits: { maxObjects: 0.5 }, onError: () => {} });
    for (const [at, name] of ['refuses', 'throws', 'count'].entries()) send([at + 1, [name, []]]);
    expect([...answers()]).toEqual([
      [1, 'DENIED'],
      [2, 'NOT_CLONEABLE'],
      [3, 1],
    ]);
    expect(closes).toEqual([]);
  });

  test.each([[{ limits: { maxCallsInFlight: undefined } }], [{ limits: { maxReferences: Infinity } }], [{}]])(
    '%j is fine',
    (options) => {
      expect(serverSettings(options as never).limits.maxCallsInFlight).toBe(1000);
    },
  );
});
