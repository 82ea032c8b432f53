import { Worker } from 'node:worker_threads';
import { connectPort } from '@lumenize/rpc/port';
import { newMessagePortRpcSession } from 'capnweb';
import { ClientByHand } from '../work/by-hand.ts';
import type { PortRequest, PortSubject } from '../work/port-thread.ts';
import { connectionOf, type Subject } from './subject.ts';

let thread: Worker | undefined;

/** Makes a subject that calls another thread over a MessagePort; `stubOn` has the library's own stub, or one made by hand. */
function overPort(name: PortSubject, stubOn: (port: MessagePort) => unknown): Subject {
  return {
    name,
    carrier: 'port',
    async connect(_baseUrl, instance) {
      const port = openPort(name, instance);
      const stub = stubOn(port) as Partial<Disposable>;
      return connectionOf(stub, () => {
        stub[Symbol.dispose]?.();
        port.close();
      });
    },
  };
}

/** Opens a port to an object in the thread that serves them, which is started with the first. */
function openPort(subject: PortSubject, instance: string): MessagePort {
  if (thread === undefined) {
    // Beside this bundle: see `planBlocks`. It ends with this process, for which it must not be a reason to stay.
    thread = new Worker(new URL('./port-thread.mjs', import.meta.url));
    thread.unref();
    thread.once('error', (error) => {
      throw error;
    });
  }
  const { port1, port2 } = new MessageChannel();
  thread.postMessage([subject, instance, port2] satisfies PortRequest, [port2 as never]);
  return port1;
}

/** Calls posted by hand, values cloned by the platform: the floor of a MessagePort. */
function postedByHand(port: MessagePort): object {
  const client = new ClientByHand((frame) => port.postMessage(frame));
  port.addEventListener('message', ({ data }) => client.hear(data));
  port.start();
  return client.stub('increment getValue reset echo');
}

export const PORT_SUBJECTS = {
  'lumenize-port': overPort('lumenize-port', connectPort),
  'capnweb-port': overPort('capnweb-port', newMessagePortRpcSession),
  'raw-port': overPort('raw-port', postedByHand),
} as const;
