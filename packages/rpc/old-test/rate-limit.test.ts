import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import type { CallFrame } from '../src/protocol/operation.ts';
import { Gate } from '../src/server/limits/gate.ts';
import { type RateLimits, Rates, TokenBucket } from '../src/server/limits/rates.ts';
import { DEFAULT_RPC_LIMITS } from '../src/server/server-context.ts';
import { Waiting } from '../src/session/admission.ts';
import type { Caller } from '../src/session/incoming/call-context.ts';

const LIMIT = { operationsPerSecond: 100, burst: 50 };

describe('a bucket', () => {
  test('gives its burst at once, and then as fast as it is filled', () => {
    const bucket = new TokenBucket(LIMIT, 0);
    expect(bucket.take(50, 0)).toBe(0);
    expect(bucket.take(1, 0)).toBe(10);
    expect(bucket.take(1, 9)).toBe(1);
    expect(bucket.take(1, 10)).toBe(0);
    expect(bucket.take(30, 10)).toBe(300);
  });

  test('never holds more than its burst', () => {
    const bucket = new TokenBucket(LIMIT, 0);
    expect(bucket.take(51, 1e9)).toBe(Number.POSITIVE_INFINITY);
    expect(bucket.take(50, 1e9)).toBe(0);
    expect(bucket.take(1, 1e9)).toBe(10);
  });

  test('loses nothing when the clock is put back, and is filled from then on', () => {
    const bucket = new TokenBucket(LIMIT, 1_000_000);
    bucket.charge(40);
    expect(bucket.take(11, 0)).toBe(10);
    expect(bucket.take(11, 10)).toBe(0);
    expect(bucket.take(1, 10)).toBe(10);
  });

  test('owes no more than its burst for what had run before it was counted', () => {
    const bucket = new TokenBucket(LIMIT, 0);
    bucket.charge(1_000_000);
    expect(bucket.take(1, 0)).toBe(510);
  });
});

describe('buckets by name', () => {
  test('are the same for the same name, and forgotten when they say nothing any more', () => {
    const rates = new Rates({ identity: { ...LIMIT, by: () => undefined } });
    expect(rates.named('busy', 0).take(50, 0)).toBe(0);
    expect(rates.named('busy', 0).take(1, 0)).toBe(10);
    for (let made = 0; made < 100_000; made++) rates.named(`guest ${made}`, 0);
    expect(rates.size).toBeLessThanOrEqual(1001);
    expect(rates.named('busy', 0).take(1, 0)).toBe(10);
  });
});

describe('rate limits', () => {
  // A pause of the machine would fill buckets.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const caller = (identity: unknown) => ({ identity, connectionId: 'x' });
  const load = { calls: 0, succeeded: 0, failed: 0 };
  /** Opens connections of an object that has these limits. */
  function opener(limits: RateLimits, ended = () => {}): (caller?: Caller, waiting?: Waiting) => Gate {
    const rates = new Rates(limits);
    return (caller, waiting = new Waiting(DEFAULT_RPC_LIMITS, load)) => new Gate(waiting, rates, caller, ended);
  }

  test('of an identity hold over connections, and those of a connection for each', () => {
    const open = opener({
      connection: { operationsPerSecond: 1, burst: 10 },
      identity: { operationsPerSecond: 1, burst: 15, by: ({ identity }) => identity ?? undefined },
    });
    const [first, second, guest] = ['ada', 'ada', undefined].map((name) => open(caller(name)));
    expect(first.take(10)).toBeUndefined();
    expect(first.take(1)).toMatchObject({
      code: 'RATE_LIMITED',
      message: expect.stringMatching(/^rateLimits.connection /),
    });
    expect(second.take(6)).toMatchObject({ message: expect.stringMatching(/^rateLimits.identity /) });
    expect(second.take(5)).toBeUndefined();
    expect(guest.take(10)).toBeUndefined();
  });

  test('take nothing from one where the other refuses', () => {
    const open = opener({
      connection: { operationsPerSecond: 1, burst: 10 },
      identity: { operationsPerSecond: 1, burst: 5, by: () => 'all' },
    });
    const gate = open(caller(1));
    for (let tries = 0; tries < 20; tries++) expect(gate.take(6)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(gate.take(5)).toBeUndefined();
  });

  test('say when to call again, and of a frame that never would be taken that it is too large', () => {
    const gate = opener({ connection: LIMIT })();
    expect(gate.take(51)).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
    gate.charge(100);
    const error = gate.take(25)!;
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    const { retryAfterMs } = error.data as { retryAfterMs: number };
    expect(retryAfterMs).toBe(750);
  });

  test('end a connection after a hundred refusals in a row, also of frames that are too large', async () => {
    const ended = vi.fn();
    const gate = opener({ connection: LIMIT }, ended)();
    for (let tries = 0; tries < 99; tries++) gate.take(51);
    expect(gate.take(50)).toBeUndefined();
    for (let tries = 0; tries < 50; tries++) {
      expect(gate.take(51)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
      await Promise.resolve();
      expect(ended).not.toHaveBeenCalled();
      expect(gate.take(1)).toMatchObject({ code: 'RATE_LIMITED' });
    }
    await Promise.resolve();
    expect(ended).toHaveBeenCalledOnce();
  });

  test('count frames for which there is no memory, since they were read', () => {
    const waiting = new Waiting(DEFAULT_RPC_LIMITS, load);
    const gate = opener({ connection: LIMIT })(undefined, waiting);
    waiting.bytes = waiting.max;
    const frame = { cost: 1, charge: 25 } as CallFrame;
    const codes = [1, 2, 3].map(() => gate.admit(frame)?.code);
    expect(codes).toEqual(['OVERLOADED', 'OVERLOADED', 'RATE_LIMITED']);
  });

  test('can be switched off, and are made sure of', () => {
    expect(opener({ connection: false })(caller(1)).take(1e9)).toBeUndefined();
    for (const wrong of [{ operationsPerSecond: 0, burst: 1 }, { operationsPerSecond: 1, burst: 0 }, {} as never]) {
      expect(() => new Rates({ connection: wrong })).toThrow(TypeError);
    }
  });
});

test('callers without a proper name share one, since no two promises are the same', () => {
  const rates = new Rates({ identity: { ...LIMIT, by: (async () => 'ada') as never } });
  const [first, second] = [1, 2].map((identity) => rates.nameOf({ identity, connectionId: 'x' }));
  expect([first, rates.nameOf(undefined)]).toEqual([second, undefined]);
  expect(new Rates({ identity: { ...LIMIT, by: () => undefined } }).nameOf({} as Caller)).toBeUndefined();
});
