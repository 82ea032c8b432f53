import { setTimeout as delay } from 'node:timers/promises';

/** Resolves once `url` answers an HTTP request, whatever the status; rejects after `timeoutMs`. */
export async function untilAnswering(url: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      const response = await fetch(`${url}/is-it-there`, { signal: AbortSignal.timeout(timeoutMs) });
      await response.arrayBuffer();
      return;
    } catch (cause) {
      // A server that is still starting refuses connections; only the deadline makes that a failure.
      if (performance.now() > deadline) throw new Error(`${url} did not answer within ${timeoutMs} ms`, { cause });
      await delay(20);
    }
  }
}
