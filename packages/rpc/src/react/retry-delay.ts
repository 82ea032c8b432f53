import { RpcError } from '../errors/rpc-error.ts';

/** How long until something is tried again, in milliseconds; up to twice as long. */
const RETRY_MS = 1000;

/**
 * Returns how long to wait before what failed is tried again, in milliseconds; undefined where that would not help. There was no
 * connection for too long, or too much to do: it is not over for that.
 */
export function retryDelayMs(error: unknown): number | undefined {
  if (!(error instanceof RpcError && error.retryable)) return undefined;
  const { retryAfterMs } = (error.data ?? {}) as { retryAfterMs?: unknown };
  const atLeast = typeof retryAfterMs === 'number' ? retryAfterMs : 0;
  return Math.max(atLeast, RETRY_MS) + RETRY_MS * Math.random();
}
