import type { Caller } from '../../session/incoming/call-context.ts';
import { ownOptions } from '../../session/limits.ts';

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
 * Default limit for each connection. A client that makes one call after another reaches some 8,000 operations a second;
 * one that imports data in frames of a hundred operations reaches some tens of thousands. Well-behaved clients stay
 * below this limit; abusive ones leave most of an object's time to others.
 */
const DEFAULT_CONNECTION_RATE: Readonly<RateLimit> = Object.freeze({
  operationsPerSecond: 100_000,
  burst: 200_000,
});

/** A bucket of tokens, one for each operation that a client may make. Times are in milliseconds. */
export class TokenBucket {
  readonly #rate: number;
  readonly #capacity: number;
  /**
   * The level in thousandths of a token. As many thousandths arrive in a millisecond as tokens in a second, so nothing
   * is lost to rounding.
   */
  #level: number;
  #filledAt: number;

  constructor({ operationsPerSecond, burst }: RateLimit, now: number) {
    this.#rate = operationsPerSecond;
    this.#capacity = burst * 1000;
    this.#level = this.#capacity;
    this.#filledAt = now;
  }

  /**
   * Takes tokens and returns 0. If there are too few, takes none and returns the milliseconds until there are enough,
   * or Infinity if the bucket can never hold that many.
   */
  take(operations: number, now: number): number {
    // A clock that was set back removes no tokens.
    const passed = Math.max(now - this.#filledAt, 0);
    this.#filledAt = now;
    this.#level = Math.min(this.#level + passed * this.#rate, this.#capacity);
    const wanted = operations * 1000;
    if (wanted > this.#level) {
      return wanted > this.#capacity ? Number.POSITIVE_INFINITY : Math.ceil((wanted - this.#level) / this.#rate);
    }
    this.#level -= wanted;
    return 0;
  }

  /**
   * Takes tokens even if there are too few, down to minus the capacity, so that the bucket refills. A negative number
   * gives tokens back.
   */
  charge(operations: number): void {
    this.#level = Math.max(this.#level - operations * 1000, -this.#capacity);
  }

  /** Returns true if the bucket is full, and so no different from a new one. */
  isFull(now: number): boolean {
    this.take(0, now);
    return this.#level >= this.#capacity;
  }
}

/**
 * The smallest number of buckets at which full ones are dropped. The next sweep comes when there are twice as many as
 * the last one kept.
 */
const MIN_SWEEP = 1000;

/** The rate limits of an object or Worker. Buckets live in memory, and are full again when the object wakes. */
export class Rates {
  readonly #connection: RateLimit | false;
  readonly #identity: RateLimits['identity'];
  /** Buckets by name. A sweep drops those that are full. */
  readonly #buckets = new Map<string, TokenBucket>();
  #sweepAt = MIN_SWEEP;

  /** @throws {TypeError} if a limit has no `operationsPerSecond` above 0, or no `burst` of at least 1 */
  constructor(given?: RateLimits) {
    const { connection, identity } = ownOptions(given);
    if (connection) requireRate(connection, 'connection');
    if (identity) {
      requireRate(identity, 'identity');
      if (typeof identity.by !== 'function') throw new TypeError('rateLimits.identity.by needs a function');
    }
    this.#connection = connection ?? DEFAULT_CONNECTION_RATE;
    this.#identity = identity;
  }

  /** Number of buckets that have a name. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Makes the bucket of a connection; undefined if it has no limit. */
  open(): TokenBucket | undefined {
    return this.#connection === false ? undefined : new TokenBucket(this.#connection, Date.now());
  }

  /** Returns the name of the bucket that a caller shares with others; undefined if it shares none. */
  nameOf(caller: Caller | undefined): string | undefined {
    const name: unknown = caller && this.#identity?.by(caller);
    // As text, so that what is no name, such as a promise, is one for all callers: as objects, no two would be the same.
    return name === undefined ? name : `${name}`;
  }

  /** Returns the bucket for a name that `nameOf` has returned; makes it if there is none. */
  named(name: string, now: number): TokenBucket {
    let bucket = this.#buckets.get(name);
    if (bucket === undefined) {
      if (this.#buckets.size >= this.#sweepAt) this.#sweep(now);
      bucket = new TokenBucket(this.#identity!, now);
      this.#buckets.set(name, bucket);
    }
    return bucket;
  }

  #sweep(now: number): void {
    for (const [name, bucket] of this.#buckets) if (bucket.isFull(now)) this.#buckets.delete(name);
    this.#sweepAt = Math.max(this.#buckets.size * 2, MIN_SWEEP);
  }
}

function requireRate({ operationsPerSecond, burst }: RateLimit, name: string): void {
  const areNumbers = typeof operationsPerSecond === 'number' && typeof burst === 'number';
  if (areNumbers && operationsPerSecond > 0 && burst >= 1) return;
  throw new TypeError(`rateLimits.${name} needs operationsPerSecond above 0, and a burst of at least 1`);
}
