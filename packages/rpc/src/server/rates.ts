import { type RpcError, refusal } from '../errors.ts';
import type { Caller } from '../types/call-context.ts';
import { defective } from './defect.ts';

/**
 * Limit of operations over time. A client may make up to `burst` operations at once; used operations come back at a
 * steady rate.
 */
export interface RateLimit {
  /** Operations per second that a client may make in the long run. */
  operationsPerSecond: number;
  /**
   * Operations that a client may make at once after it has made none for a while. A frame with more operations is
   * always refused.
   */
  burst: number;
}

/**
 * Limits of the operations that a client may ask for. An operation is a call or the reading of a property; a frame
 * counts as many as it holds.
 */
export interface RateLimits {
  /**
   * Limit for each connection; false removes it. It bounds the effect of one client on others of the same object, not
   * that of many clients.
   * @default { operationsPerSecond: 100000, burst: 200000 }
   */
  connection?: RateLimit | false;
  /**
   * Limit for all connections and batches of one object that share a name. `by` returns the name for a caller;
   * undefined means no limit. If it throws, calls are refused with `NOT_EXECUTED`, and `onError` is told.
   * @default none
   */
  // biome-ignore lint/suspicious/noExplicitAny: the identity is the application's own
  identity?: RateLimit & { by: (caller: Caller<any>) => string | undefined };
}

/**
 * Default limit for each connection. Well-behaved clients stay below it; abusive ones leave most of an object's time to
 * others.
 */
const DEFAULT: RateLimit = { operationsPerSecond: 100_000, burst: 200_000 };

/** A bucket of tokens, one for each operation that a client may make. Times are in milliseconds. */
class TokenBucket implements Bucket {
  declare readonly name: string;
  declare private readonly rate: number;
  declare private readonly capacity: number;
  /** In thousandths of a token: as many arrive in a millisecond as tokens in a second, so nothing is lost to rounding. */
  declare private level: number;
  declare private filledAt: number;

  constructor(name: string, { operationsPerSecond, burst }: RateLimit) {
    this.name = name;
    this.rate = operationsPerSecond;
    this.capacity = this.level = burst * 1000;
    this.filledAt = Date.now();
  }

  of(): this {
    return this;
  }

  /** Returns the milliseconds until there are enough tokens; 0 if there are, and Infinity if there never will be. */
  missing(operations: number): number {
    const now = Date.now();
    // A clock that was set back removes no tokens.
    if (now > this.filledAt) this.level = Math.min(this.level + (now - this.filledAt) * this.rate, this.capacity);
    this.filledAt = now;
    const wanted = operations * 1000;
    if (wanted > this.capacity) return Number.POSITIVE_INFINITY;
    return Math.max(Math.ceil((wanted - this.level) / this.rate), 0);
  }

  /** Takes tokens, even if there are too few. Returns false if the bucket owes all that it can hold. */
  take(operations: number): boolean {
    this.level = Math.max(this.level - operations * 1000, -this.capacity);
    return this.level > -this.capacity;
  }

  get isFull(): boolean {
    return this.missing(0) === 0 && this.level >= this.capacity;
  }
}

/** The smallest number of buckets with names at which full ones are dropped: those are no different from new ones. */
const LEAST_SWEPT = 1000;

/** The rate limits of an object or Worker. Buckets live in memory, and are full again when the object wakes. */
export class Rates {
  private readonly limits: RateLimits;
  private readonly named = new Map<string, TokenBucket>();
  private sweptAt = LEAST_SWEPT;

  /** @throws {TypeError} if a limit has no `operationsPerSecond` above 0, or no `burst` of at least 1 */
  constructor(limits: RateLimits = Object.create(null)) {
    this.limits = limits;
    for (const name of ['connection', 'identity'] as const) {
      const limit = limits[name];
      if (!limit || (limit.operationsPerSecond > 0 && limit.burst >= 1)) continue;
      throw new TypeError(`rateLimits.${name} needs operationsPerSecond above 0, and a burst of at least 1`);
    }
  }

  /** Returns the buckets of a connection, or the error for its calls if nobody knows the name of its caller. */
  open(caller: Caller | undefined): readonly Bucket[] | RpcError {
    const { connection = DEFAULT, identity } = this.limits;
    const buckets: Bucket[] = connection ? [new TokenBucket('connection', connection)] : [];
    if (identity === undefined || caller === undefined) return buckets;
    let name: unknown;
    try {
      name = identity.by(caller);
    } catch (error) {
      return defective(refusal('NOT_EXECUTED', 'rateLimits.identity.by failed'), error);
    }
    // As text, so that what is no name, such as a promise, is one for all callers.
    if (name !== undefined) buckets.push({ name: 'identity', of: () => this.bucket(`${name}`, identity) });
    return buckets;
  }

  private bucket(name: string, limit: RateLimit): TokenBucket {
    let bucket = this.named.get(name);
    if (bucket === undefined) {
      if (this.named.size >= this.sweptAt) {
        for (const [other, { isFull }] of this.named) if (isFull) this.named.delete(other);
        this.sweptAt = Math.max(this.named.size * 2, LEAST_SWEPT);
      }
      bucket = new TokenBucket('identity', limit);
      this.named.set(name, bucket);
    }
    return bucket;
  }
}

/** A bucket that operations are taken from, with the name of its limit. */
export interface Bucket {
  readonly name: string;
  of(): TokenBucket;
}

/** Takes operations from buckets. Returns the error if they may not run, and then takes none. */
export function take(buckets: readonly Bucket[], operations: number): RpcError | undefined {
  for (const bucket of buckets) {
    const { name } = bucket;
    const retryAfterMs = bucket.of().missing(operations);
    if (retryAfterMs === Number.POSITIVE_INFINITY) {
      const what = `a frame of ${operations} operations is more than the burst of rateLimits.${name}`;
      return refusal('LIMIT_EXCEEDED', `${what}: make fewer in a turn`);
    }
    if (retryAfterMs > 0) {
      const message = `rateLimits.${name} exceeded: call again in ${retryAfterMs} ms`;
      return refusal('RATE_LIMITED', message, { data: { retryAfterMs } });
    }
  }
  charge(buckets, operations);
  return undefined;
}

/** Takes operations that cannot be refused. Returns false if a bucket owes all that it can hold. */
export function charge(buckets: readonly Bucket[], operations: number): boolean {
  return buckets.map((bucket) => bucket.of().take(operations)).every(Boolean);
}
