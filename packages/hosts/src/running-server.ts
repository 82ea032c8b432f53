import { setTimeout as delay } from 'node:timers/promises';

/** A started server with a Worker behind it and empty storage. */
export interface RunningServer {
  /** Base address such as `http://127.0.0.1:4711`, without a slash at its end. */
  readonly url: string;
  /** Address of the inspector of a server that was started with one (`ws://…`). */
  readonly inspector?: string;
  /** Ends the server's processes and removes its storage; resolves when both are gone. */
  stop(): Promise<void>;
}

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
