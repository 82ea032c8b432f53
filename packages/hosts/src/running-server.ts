import { setTimeout as delay } from 'node:timers/promises';

/** A running server with a Worker and empty storage. */
export interface RunningServer {
  /** The base URL, such as `http://127.0.0.1:4711`, without a slash at the end. */
  readonly url: string;
  /** The URL of the inspector (`ws://…`), if the server was started with one. */
  readonly inspector?: string;
  /** Ends the processes of the server and removes its storage. Resolves when both are gone. */
  stop(): Promise<void>;
}

/** Resolves once `url` answers an HTTP request, whatever the status. Rejects after `timeoutMs`. */
export async function untilAnswering(url: string, timeoutMs: number): Promise<void> {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    try {
      const response = await fetch(`${url}/is-it-there`, { signal: AbortSignal.timeout(timeoutMs) });
      await response.arrayBuffer();
      return;
    } catch (cause) {
      // A server that is still starting refuses connections. This is only a failure after the deadline.
      if (performance.now() > deadline) throw new Error(`${url} did not answer within ${timeoutMs} ms`, { cause });
      await delay(20);
    }
  }
}
