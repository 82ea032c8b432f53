import { RpcError } from '../../errors/rpc-error.ts';
import { CLOSE_POLICY } from '../../protocol/close-codes.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import { DEFAULT_CONNECTION_RATE, NamedBuckets, type RateLimit, type RateLimits, TokenBucket } from './rate-limit.ts';

/** The rate limits of what is served: buckets live in memory, and are full again when the object wakes. */
export class RateGates {
  readonly #connection: RateLimit | false;
  readonly #identity: RateLimits['identity'];
  readonly #names: NamedBuckets | undefined;

  /** @throws {TypeError} where a limit is no number of operations */
  constructor({ connection = DEFAULT_CONNECTION_RATE, identity }: RateLimits = {}) {
    if (connection !== false) requireRate(connection, 'connection');
    if (identity !== undefined) requireRate(identity, 'identity');
    this.#connection = connection;
    this.#identity = identity;
    this.#names = identity && new NamedBuckets(identity);
  }

  /** Makes the gate of a connection, from what it had under an earlier identity; null where it has no limit. */
  open(caller: Caller | undefined, before?: RateGate | null): RateGate | null {
    const name = caller && this.#identity?.by(caller);
    if (this.#connection === false && name === undefined) return null;
    const own = this.#connection === false ? undefined : (before?.own ?? new TokenBucket(this.#connection, Date.now()));
    return new RateGate(own, name === undefined ? undefined : (now) => this.#names!.of(name, now));
  }
}

/** The rate limits of one connection. */
export class RateGate {
  /** The bucket of the connection alone. */
  readonly own: TokenBucket | undefined;
  readonly #shared: ((now: number) => TokenBucket) | undefined;

  constructor(own: TokenBucket | undefined, shared: ((now: number) => TokenBucket) | undefined) {
    this.own = own;
    this.#shared = shared;
  }

  /** Takes the operations of a frame, or returns why it may not run: then none are taken. */
  admit(operations: number): RpcError | undefined {
    const now = Date.now();
    const shared = this.#shared?.(now);
    const ownMs = this.own?.waitMs(operations, now) ?? 0;
    const sharedMs = shared?.waitMs(operations, now) ?? 0;
    const retryAfterMs = Math.max(ownMs, sharedMs);
    if (retryAfterMs > 0) return refusal(ownMs >= sharedMs ? 'connection' : 'identity', operations, retryAfterMs);
    this.own?.take(operations);
    shared?.take(operations);
    return undefined;
  }

  /** Takes operations that are known of only when they have run. */
  charge(operations: number): void {
    this.own?.take(operations);
    this.#shared?.(Date.now()).take(operations);
  }
}

/** A client that is told so many times in a row that it is too fast, and goes on, is not one of ours. */
const MAX_TOO_FAST = 100;

interface PacedConnection {
  readonly caller: Caller | undefined;
  close(code: number, error: RpcError): void;
}

/** How fast one connection may call, whoever it is from; where it never heeds that, the connection ends. */
export class Pace {
  readonly #rates: RateGates;
  readonly #connection: PacedConnection;
  /** Null where there are no limits. */
  #gate: RateGate | null;
  /** Frames in a row that came too fast. */
  #tooFast = 0;

  constructor(rates: RateGates, connection: PacedConnection) {
    this.#rates = rates;
    this.#connection = connection;
    this.#gate = rates.open(connection.caller);
  }

  /** Takes the operations of a frame, or returns why it may not run, `overload` where there is such a reason. */
  admit(operations: number, overload?: RpcError): RpcError | undefined {
    const error = overload ?? this.#gate?.admit(operations);
    if (error?.code !== 'RATE_LIMITED') this.#tooFast = 0;
    // Once it has been told of this frame, too.
    else if (++this.#tooFast === MAX_TOO_FAST) queueMicrotask(() => this.#connection.close(CLOSE_POLICY, error));
    return error;
  }

  charge(operations: number): void {
    this.#gate?.charge(operations);
  }

  /** Goes by who the caller is now. What was taken of the connection's own stays taken. */
  renew(): void {
    this.#gate = this.#rates.open(this.#connection.caller, this.#gate);
  }
}

function refusal(limit: string, operations: number, retryAfterMs: number): RpcError {
  if (retryAfterMs === Number.POSITIVE_INFINITY) {
    const message = `a frame of ${operations} operations is more than the burst of rateLimits.${limit}: make fewer in a turn`;
    return new RpcError('LIMIT_EXCEEDED', message);
  }
  const message = `rateLimits.${limit} exceeded: call again in ${retryAfterMs} ms`;
  return new RpcError('RATE_LIMITED', message, { data: { retryAfterMs } });
}

function requireRate({ operationsPerSecond, burst }: RateLimit, name: string): void {
  if (operationsPerSecond > 0 && burst >= 1) return;
  throw new TypeError(`rateLimits.${name} needs operationsPerSecond above 0, and a burst of at least 1`);
}
