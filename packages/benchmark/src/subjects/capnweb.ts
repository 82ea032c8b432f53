import { newWebSocketRpcSession, type RpcTarget } from 'capnweb';
import type { Work } from '../work/work.ts';
import { callEach } from './call-each.ts';
import type { Connection, Subject } from './subject.ts';

interface CounterTarget extends RpcTarget {
  increment(by?: number): number;
  getValue(): number;
  reset(): void;
}

/** Cap'n Web as its documentation uses it: one session from a URL, no options, closed by disposing the main stub. */
export const capnweb: Subject = {
  name: 'capnweb',
  carrier: 'socket',
  connect(baseUrl, instance): Connection {
    const stub = newWebSocketRpcSession<CounterTarget>(`${baseUrl.replace('http', 'ws')}/capnweb/counter/${instance}`);
    return {
      increment: () => stub.increment(),
      getValue: () => stub.getValue(),
      reset: () => stub.reset(),
      incrementInOneTurn: (n) => callEach(n, () => stub.increment()),
      turn: (calls) => calls(stub as unknown as Work),
      close: () => stub[Symbol.dispose](),
    };
  },
};
