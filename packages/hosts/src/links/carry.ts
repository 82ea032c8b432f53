import type { Socket } from 'node:net';
import { Alarm } from './alarm.ts';
import type { SegmentQueue } from './segment-queue.ts';

/** More than any link here has under way. Beyond it the sender has to wait, as for a TCP window. */
const PENDING_BYTES = 8 * 1024 * 1024;

/** Writes everything that `from` sends to `to`, including the end, at the times at which `queue` lets it arrive. */
export function carry(from: Socket, to: Socket, queue: SegmentQueue): void {
  const alarm = new Alarm(() => {
    to.cork();
    for (const data of queue.take(performance.now())) {
      if (data) to.write(data);
      else to.end();
    }
    to.uncork();
    if (from.isPaused() && queue.bytes < PENDING_BYTES) from.resume();
    alarm.set(queue.dueAt);
  });
  from.on('data', (data: Buffer) => {
    queue.send(data, performance.now());
    alarm.set(queue.dueAt);
    if (queue.bytes >= PENDING_BYTES) from.pause();
  });
  from.once('end', () => {
    queue.end(performance.now());
    alarm.set(queue.dueAt);
  });
  // There is no receiver left.
  to.once('close', () => alarm.clear());
  from.once('error', () => to.resetAndDestroy());
  to.once('error', () => from.resetAndDestroy());
}
