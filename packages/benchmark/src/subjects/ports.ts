import { Worker } from 'node:worker_threads';
import { connectPort } from '@lumenize/rpc/port';
import { newMessagePortRpcSession } from 'capnweb';
import { ClientByHand } from '../work/by-hand.ts';
import type { PortRequest, PortSubject } from '../work/port-thread.ts';
import { connectionOf, type Subject } from './subject.ts';

let thread: Worker | undefined;

/**
 * Creates a subject that calls another thread over a MessagePort. `stubOn` returns the library's own stub, or a
 * hand-written one.
 */
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

/** Opens a port to an object in the thread that serves ports. The thread is started with the first port. */
function openPort(subject: PortSubject, instance: string): MessagePort {
  if (thread === undefined) {
    // Located beside this bundle; see `planBlocks`. It ends with this process, and must not keep it alive.
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

/** Calls posted by hand, with values cloned by the platform: the lower bound for a MessagePort. */
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
