// The thread behind the ports. It serves an object to each port that it receives.
import { parentPort } from 'node:worker_threads';
import { servePort } from '@lumenize/rpc/port';
import { RpcTarget } from '@lumenize/rpc/server';
import { RpcTarget as CapnWebTarget, newMessagePortRpcSession } from 'capnweb';
import { answerByHand } from './by-hand.ts';
import type { KeyValues } from './work.ts';
import { MapStorage, workOn } from './work.ts';

/** The subjects that use a port. */
export type PortSubject = 'lumenize-port' | 'capnweb-port' | 'raw-port';

/** A request to serve a port. */
export type PortRequest = readonly [subject: PortSubject, instance: string, port: MessagePort];

const LumenizeWork = workOn(RpcTarget);
const CapnwebWork = workOn(CapnWebTarget);
const PlainWork = workOn(Object);

/** Functions that serve the work on some storage over a port. */
const SERVE: Readonly<Record<PortSubject, (port: MessagePort, storage: KeyValues) => unknown>> = {
  'lumenize-port': (port, storage) => servePort(port, new LumenizeWork(storage)),
  'capnweb-port': (port, storage) => newMessagePortRpcSession(port, new CapnwebWork(storage)),
  'raw-port': (port, storage) => serveByHand(port, new PlainWork(storage)),
};

const objects = new Map<string, KeyValues>();

parentPort!.on('message', ([subject, instance, port]: PortRequest) => {
  const storage = objects.get(instance) ?? new MapStorage();
  objects.set(instance, storage);
  SERVE[subject](port, storage);
});

function serveByHand(port: MessagePort, target: object): void {
  port.addEventListener('message', ({ data }) => port.postMessage(answerByHand(target, data)));
  port.start();
}
