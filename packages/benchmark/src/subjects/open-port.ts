import { Worker } from 'node:worker_threads';
import type { PortRequest, PortSubject } from '../work/port-thread.ts';

let thread: Worker | undefined;

/** Opens a port to an object in the thread that serves them, which is started with the first. */
export function openPort(subject: PortSubject, instance: string): MessagePort {
  if (thread === undefined) {
    // Beside this bundle: see `bundleClient`. It ends with this process, for which it must not be a reason to stay.
    thread = new Worker(new URL('./port-thread.mjs', import.meta.url));
    thread.unref();
    thread.once('error', (error) => {
      throw error;
    });
  }
  const { port1, port2 } = new MessageChannel();
  const request: PortRequest = { subject, instance, port: port2 };
  thread.postMessage(request, [port2 as never]);
  return port1;
}
