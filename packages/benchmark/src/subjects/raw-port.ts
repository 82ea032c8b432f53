import { connectionOf } from './connection-over.ts';
import { openPort } from './open-port.ts';
import type { Connection, Subject } from './subject.ts';

type Settle = (outcome: { r: unknown } | { e: string }) => void;

/** Calls posted by hand to another thread, values cloned by the platform: the floor of a MessagePort. */
export const rawPort: Subject = {
  name: 'raw-port',
  carrier: 'port',
  connect(_baseUrl, instance): Connection {
    const port = openPort('raw-port', instance);
    const waiting = new Map<number, Settle>();
    let lastId = 0;
    port.addEventListener('message', ({ data }) => {
      waiting.get(data.id)!(data);
      waiting.delete(data.id);
    });
    port.start();
    const call = (m: string, a: unknown[]) =>
      new Promise((resolve, reject) => {
        waiting.set(++lastId, (outcome) => ('e' in outcome ? reject(new Error(outcome.e)) : resolve(outcome.r)));
        port.postMessage({ id: lastId, m, a });
      });
    const method =
      (name: string) =>
      (...args: unknown[]) =>
        call(name, args);
    const methods = ['increment', 'getValue', 'reset', 'echo'].map((name) => [name, method(name)]);
    return connectionOf(Object.fromEntries(methods), () => port.close());
  },
};
