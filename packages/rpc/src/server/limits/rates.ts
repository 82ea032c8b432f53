import type { Caller } from '../../session/incoming/call-context.ts';

/** Limit of operations over time: as many as `burst` at once, after which they come back at a steady rate. */
export interface RateLimit {
  /** Operations that may be made in a second, in the long run. */
  operationsPerSecond: number;
  /** Operations that may be made at once by who has made none for a while; a frame of more than that is never taken. */
  burst: number;
}

/**
 * Limits of the operations that a client may ask for. An operation is a call or the reading of a property; a frame has
 * as many as are in it.
 */
export interface RateLimits {
  /**
   * For each connection; false is no limit. It bounds what one client can do to others of the same object, not what many
   * do. @default { operationsPerSecond: 100000, burst: 200000 }
   */
  connection?: RateLimit | false;
  /**
   * For all connections and batches of one object that have the same name, which `by` makes of the caller; undefined is
   * no limit. @default none
   */
  // biome-ignore lint/suspicious/noExplicitAny: the identity is the application's own
  identity?: RateLimit & { by: (caller: Caller<any>) => string | undefined };
}

/**
 * A connection that calls in turn makes some 8,000 operations a second, one that imports data by frames of a hundred some
 * tens of thousands. Well-behaved clients stay below this; abusive ones leave most of an object's time to others.
 */
const DEFAULT_CONNECTION_RATE: Readonly<RateLimit> = Object.freeze({
  operationsPerSecond: 100_000,
  burst: 200_000,
});

/** A bucket of tokens, one for each operation that may be made. Times are in milliseconds. */
export class TokenBucket {
  readonly #rate: number;
  readonly #capacity: number;
  /** In thousandths of a token: so many come in a millisecond as tokens in a second, and nothing is lost by rounding. */
  #level: number;
  #filledAt: number;

  constructor({ operationsPerSecond, burst }: RateLimit, now: number) {
    this.#rate = operationsPerSecond;
    this.#capacity = burst * 1000;
    this.#level = this.#capacity;
    this.#filledAt = now;
  }

  /** Takes tokens and returns 0; takes none where there are too few, and returns how long it takes until there are so many: Infinity where there never will be. */
  take(operations: number, now: number): number {
    // A clock that was put back takes nothing away.
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

  /** Takes tokens, also some that there are not yet: but no more than it holds, so that it is not empty for ever. Fewer than 0 are given back. */
  charge(operations: number): void {
    this.#level = Math.max(this.#level - operations * 1000, -this.#capacity);
  }

  /** Returns true if it says no more than a new one would. */
  isFull(now: number): boolean {
    this.take(0, now);
    return this.#level >= this.#capacity;
  }
}

/** Full buckets are forgotten whenever there are twice as many as were kept the last time, and more than this. */
const MIN_SWEEP = 1000;

/** The rate limits of what is served: buckets live in memory, and are full again when the object wakes. */
export class Rates {
  readonly #connection: RateLimit | false;
  readonly #identity: RateLimits['identity'];
  /** By name, for as long as they say anything. */
  readonly #buckets = new Map<string, TokenBucket>();
  #sweepAt = MIN_SWEEP;

  /** @throws {TypeError} where a limit is no number of operations */
  constructor({ connection, identity }: RateLimits = {}) {
    if (connection) requireRate(connection, 'connection');
    if (identity) requireRate(identity, 'identity');
    this.#connection = connection ?? DEFAULT_CONNECTION_RATE;
    this.#identity = identity;
  }

  /** Number of buckets that have a name. */
  get size(): number {
    return this.#buckets.size;
  }

  /** Makes the bucket of a connection; undefined where it has no limit. */
  open(): TokenBucket | undefined {
    return this.#connection === false ? undefined : new TokenBucket(this.#connection, Date.now());
  }

  /** Returns the name of the bucket that a caller shares; undefined where there is none. */
  nameOf(caller: Caller | undefined): string | undefined {
    return caller && this.#identity?.by(caller);
  }

  /** Finds the bucket of a name that `nameOf` has returned, or makes it. */
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
  if (operationsPerSecond > 0 && burst >= 1) return;
  throw new TypeError(`rateLimits.${name} needs operationsPerSecond above 0, and a burst of at least 1`);
}
