import { newWebSocketRpcSession, type RpcTarget } from 'capnweb';
import type { Work } from '../work/work.ts';
import { callEach } from './call-each.ts';
import { capnwebEvents } from './capnweb-events.ts';
import { capnwebGateway } from './capnweb-gateway.ts';
import type { Connection, Subject, SubjectName } from './subject.ts';

interface CounterTarget extends RpcTarget {
  increment(by?: number): number;
  getValue(): number;
  reset(): void;
}

/** Makes the subject that calls through Cap'n Web at a path, as its documentation does: one session from a URL, no options, closed by disposing the main stub. */
export function capnwebAt(name: SubjectName, path: string): Subject {
  return {
    name,
    carrier: 'socket',
    // In a Worker, whose clock counts whole milliseconds, it divides by an interval of 0 and multiplies by a round trip of 0:
    // the window is NaN from then on, and nothing is sent again. About one block in forty.
    mayHang: { scenarios: /^stream\/down/, afterMs: 2000, because: 'its flow control waits for ever' },
    connect(baseUrl, instance): Connection {
      const stub = newWebSocketRpcSession<CounterTarget>(
        `${baseUrl.replace('http', 'ws')}/${path}/counter/${instance}`,
      );
      return {
        increment: () => stub.increment(),
        getValue: () => stub.getValue(),
        reset: () => stub.reset(),
        incrementInOneTurn: (n) => callEach(n, () => stub.increment()),
        turn: (calls) => calls(stub as unknown as Work),
        events: capnwebEvents(stub as unknown as Parameters<typeof capnwebEvents>[0]),
        close: () => stub[Symbol.dispose](),
      };
    },
    connectAs: capnwebGateway,
  };
}
