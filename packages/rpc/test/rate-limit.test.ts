import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { NamedBuckets, RateGates, TokenBucket } from '../src/server/limits/rates.ts';

const LIMIT = { operationsPerSecond: 100, burst: 50 };

describe('a bucket', () => {
  test('gives its burst at once, and then as fast as it is filled', () => {
    const bucket = new TokenBucket(LIMIT, 0);
    expect(bucket.waitMs(50, 0)).toBe(0);
    bucket.take(50);
    expect(bucket.waitMs(1, 0)).toBe(10);
    expect(bucket.waitMs(1, 9)).toBe(1);
    expect(bucket.waitMs(1, 10)).toBe(0);
    bucket.take(1);
    expect(bucket.waitMs(30, 10)).toBe(300);
  });

  test('never holds more than its burst', () => {
    const bucket = new TokenBucket(LIMIT, 0);
    expect(bucket.waitMs(51, 1e9)).toBe(Number.POSITIVE_INFINITY);
    expect(bucket.waitMs(50, 1e9)).toBe(0);
    bucket.take(50);
    expect(bucket.waitMs(1, 1e9)).toBe(10);
  });

  test('loses nothing when the clock is put back, and is filled from then on', () => {
    const bucket = new TokenBucket(LIMIT, 1_000_000);
    bucket.take(40);
    expect(bucket.waitMs(10, 0)).toBe(0);
    expect(bucket.waitMs(11, 0)).toBe(10);
    expect(bucket.waitMs(11, 10)).toBe(0);
  });

  test('owes no more than its burst for what had run before it was counted', () => {
    const bucket = new TokenBucket(LIMIT, 0);
    bucket.take(1_000_000);
    expect(bucket.waitMs(1, 0)).toBe(510);
  });
});

describe('buckets by name', () => {
  test('are the same for the same name, and forgotten when they say nothing any more', () => {
    const buckets = new NamedBuckets(LIMIT);
    buckets.of('busy', 0).take(50);
    expect(buckets.of('busy', 0).waitMs(1, 0)).toBe(10);
    for (let made = 0; made < 100_000; made++) buckets.of(`guest ${made}`, 0);
    expect(buckets.size).toBeLessThanOrEqual(1001);
    expect(buckets.of('busy', 0).waitMs(1, 0)).toBe(10);
  });
});

describe('rate limits', () => {
  // A pause of the machine would fill buckets.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }));
  afterEach(() => void vi.useRealTimers());

  const caller = (identity: unknown) => ({ identity, connectionId: 'x' });

  test('of an identity hold over connections, and those of a connection for each', () => {
    const gates = new RateGates({
      connection: { operationsPerSecond: 1, burst: 10 },
      identity: { operationsPerSecond: 1, burst: 15, by: ({ identity }) => identity ?? undefined },
    });
    const [first, second, guest] = ['ada', 'ada', undefined].map((name) => gates.open(caller(name))!);
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
    const gates = new RateGates({
      connection: { operationsPerSecond: 1, burst: 10 },
      identity: { operationsPerSecond: 1, burst: 5, by: () => 'all' },
    });
    const gate = gates.open(caller(1))!;
    for (let tries = 0; tries < 20; tries++) expect(gate.take(6)).toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(gate.take(5)).toBeUndefined();
  });

  test('say when to call again, and of a frame that never would be taken that it is too large', () => {
    const gate = new RateGates({ connection: LIMIT }).open(undefined)!;
    expect(gate.take(51)).toMatchObject({ code: 'LIMIT_EXCEEDED', retryable: false });
    gate.charge(100);
    const error = gate.take(25)!;
    expect(error).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
    const { retryAfterMs } = error.data as { retryAfterMs: number };
    expect(retryAfterMs).toBe(750);
  });

  test('can be switched off, and are made sure of', () => {
    expect(new RateGates({ connection: false }).open(caller(1))).toBeNull();
    for (const wrong of [{ operationsPerSecond: 0, burst: 1 }, { operationsPerSecond: 1, burst: 0 }, {} as never]) {
      expect(() => new RateGates({ connection: wrong })).toThrow(TypeError);
    }
  });
});
