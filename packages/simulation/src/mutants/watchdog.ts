import { writeSync } from 'node:fs';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

/** Whatever takes this long, in milliseconds of the processor, never comes to an end. */
const MOST_MS = 20_000;
/** Time between two looks, in milliseconds. */
const EVERY_MS = 500;
/** Printed where something never comes to an end. */
export const HANGS = 'hangs';

/**
 * Ends the process when what runs in it takes far too long; returns what is to be called when something else begins. In a thread
 * of its own: a defect may have the main one never come to rest. By the processor's time: other processes take the machine's.
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
