import { CLOSE_TRY_LATER } from '../closes.ts';
import type { RpcError } from '../errors.ts';

/** Delays between attempts to connect. */
export interface BackoffOptions {
  /**
   * Longest delay before the first attempt after a loss, in milliseconds. It doubles with each further attempt.
   * @default 250
   */
  minDelayMs?: number;
  /** Longest delay, in milliseconds. @default 30000 */
  maxDelayMs?: number;
  /** Time that a connection must last before the delays start over, in milliseconds. @default 5000 */
  stableMs?: number;
}

/**
 * A refusal for overload counts as at least this many failed attempts, so that the server gets at least their delay.
 */
const OVERLOADED_ATTEMPTS = 3;

/**
 * Returns a backoff that counts attempts to connect. Each delay is random, up to a bound that doubles, so that
 * thousands of clients do not come back at once.
 */
export function backoffOf(options: boolean | BackoffOptions) {
  const { minDelayMs = 250, maxDelayMs = 30_000, stableMs = 5000 } = options as BackoffOptions;
  let attempts = 0;
  /** Time at which the current connection was made. Infinity when there is none. */
  let openedAt = Infinity;
  return {
    /** Called when a connection has opened. */
    opened(): void {
      openedAt = performance.now();
    },
    /** Returns the milliseconds to wait after a close with this code and error. */
    next(code: number, error: RpcError): number {
      if (performance.now() - openedAt >= stableMs) attempts = 0;
      openedAt = Infinity;
      const isOverloaded = code === CLOSE_TRY_LATER || error.code === 'OVERLOADED';
      if (isOverloaded) attempts = Math.max(attempts, OVERLOADED_ATTEMPTS);
      // The power is Infinity after many attempts, and 0 times that is NaN.
      return Math.random() * Math.min(maxDelayMs, minDelayMs * 2 ** attempts++) || 0;
    },
  };
}

/** Delays of one client. */
export type Backoff = ReturnType<typeof backoffOf>;
