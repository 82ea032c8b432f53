import { RpcError } from '@lumenize/rpc';

/** The time until something is tried again, in milliseconds. The actual time is up to twice as long. */
const RETRY_MS = 500;

/** Waits until something is to be tried again. Throws an error that would come again. */
export async function waitAfter(error: unknown): Promise<void> {
  const passes = error instanceof RpcError && (error.retryable || error.code === 'OUTCOME_UNKNOWN');
  if (!passes && error !== undefined) throw error;
  await new Promise((resolve) => setTimeout(resolve, RETRY_MS * (1 + Math.random())));
}
