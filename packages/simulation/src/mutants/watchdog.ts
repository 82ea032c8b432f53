import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** The processor time after which a unit counts as never ending, in milliseconds. */
const MOST_MS = 20_000;
/** The time between two checks, in milliseconds. */
const EVERY_MS = 500;
/** Printed if a unit never ends. */
export const HANGS = 'hangs';

/**
 * Ends the process if a unit takes far too long. Returns a function that must be called when the next unit begins. The
 * watchdog runs in a thread of its own, because a defect may block the main one. It measures processor time, because
 * other processes slow the machine down.
 */
export function watch(): () => void {
  const shared = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL(import.meta.url), { workerData: shared });
  worker.unref();
  return () => void Atomics.add(shared, 0, 1);
}

if (!isMainThread) {
  const shared = workerData as Int32Array;
  const spent = () => process.cpuUsage().user / 1000;
  let seen = -1;
  let since = 0;
  setInterval(() => {
    const begun = Atomics.load(shared, 0);
    if (begun !== seen) [seen, since] = [begun, spent()];
    else if (spent() - since > MOST_MS) {
      writeSync(1, `\n${HANGS}\n`);
      process.kill(process.pid, 'SIGKILL');
    }
  }, EVERY_MS);
}
