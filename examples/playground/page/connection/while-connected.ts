import type { ConnectionState } from '@lumenize/rpc';
import type { ReadonlySignal } from '@preact/signals';

/**
 * Runs a task that lasts, such as a loop over a subscription, and once more when it has failed for want of a connection.
 * Calls wait for one only so long; a page waits for as long as it is open.
 */
export async function whileConnected(state: ReadonlySignal<ConnectionState>, task: () => Promise<void>): Promise<void> {
  for (;;) {
    try {
      return await task();
    } catch {
      // What fails over an open connection was refused, and would be again.
      if (state.peek() === 'open') return;
    }
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
