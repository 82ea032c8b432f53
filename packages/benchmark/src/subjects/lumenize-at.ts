import { connect } from '@lumenize/rpc';
import type { Work } from '../work/work.ts';
import { callEach } from './call-each.ts';
import { type EventMethods, lumenizeEvents } from './lumenize-events.ts';
import { lumenizeGateway } from './lumenize-gateway.ts';
import type { Connection, Subject, SubjectName } from './subject.ts';

interface CounterMethods {
  increment(by?: number): number;
  getValue(): number;
  reset(): void;
}

/**
 * Makes the subject that calls the counter behind `binding`, and the gateway behind another one, through Lumenize RPC, with
 * the client's defaults.
 */
export function lumenizeAt(name: SubjectName, binding: string, gateway?: string): Subject {
  return {
    name,
    carrier: 'socket',
    connect(baseUrl, instance): Connection {
      return lumenizeConnection(connect, baseUrl, binding, instance);
    },
    connectAs:
      gateway === undefined
        ? undefined
        : (baseUrl, instance, token) => lumenizeGateway(baseUrl, gateway, instance, token),
  };
}

/** Connects to the counter called `instance` by a client's own `connect`. */
export function lumenizeConnection(
  connectWith: typeof connect,
  baseUrl: string,
  binding: string,
  instance: string,
): Connection {
  const stub = connectWith<CounterMethods>(`${baseUrl.replace('http', 'ws')}/rpc/${binding}/${instance}`);
  return {
    increment: () => stub.increment(),
    getValue: () => stub.getValue(),
    reset: () => stub.reset(),
    incrementInOneTurn: (n) => callEach(n, () => stub.increment()),
    turn: (calls) => calls(stub as unknown as Work),
    events: lumenizeEvents(stub as unknown as EventMethods),
    close: () => stub[Symbol.dispose](),
  };
}
