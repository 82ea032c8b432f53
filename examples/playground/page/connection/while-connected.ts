import type { ConnectionState } from '@lumenize/rpc';
import type { ReadonlySignal } from '@preact/signals';

/** Pauses between failures in a row, in milliseconds: the first, and the longest. */
const PAUSE = { first: 100, longest: 10_000 } as const;

/**
 * Runs a task that lasts, such as a loop over a subscription, and once more when it has failed for want of a connection.
 * Calls wait for one only so long; a page waits for as long as it is open.
 */
export async function whileConnected(state: ReadonlySignal<ConnectionState>, task: () => Promise<void>): Promise<void> {
  let pauseMs: number = PAUSE.first;
  for (;;) {
    const began = performance.now();
    try {
      return await task();
    } catch {
      // What fails over an open connection was refused, and would be again.
      if (state.peek() === 'open') return;
    }
    // After a new version has been deployed, parts of this page's may be gone: then it fails at once, however often.
    pauseMs = performance.now() - began > PAUSE.longest ? PAUSE.first : Math.min(2 * pauseMs, PAUSE.longest);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    // An idle connection is made by the next call, which is the task's.
    if ((await untilOneOf(state, ['open', 'idle', 'closed'])) === 'closed') return;
  }
}

function untilOneOf(state: ReadonlySignal<ConnectionState>, wanted: ConnectionState[]): Promise<ConnectionState> {
  return new Promise((resolve) => {
    const stop = state.subscribe((now) => {
      if (!wanted.includes(now)) return;
      resolve(now);
      // The first time it is called, there is nothing to stop yet.
      queueMicrotask(() => stop());
    });
  });
}
