import { newWebSocketRpcSession, type RpcTarget } from 'capnweb';
import type { GatewayConnection, Session } from '../gateway/gateway.ts';
import type { EventsConnection, Lines, Message } from '../work/work.ts';
import { type Connection, connectionOf, gatewayOf, type Subject, type SubjectName } from './subject.ts';

interface CounterTarget extends RpcTarget {
  publish(message: Message): number;
  subscribe(callback: (sequence: number, message: Message) => void): void;
}

/** What is there for whom a token is of. */
interface UserMethods extends RpcTarget {
  listen(created: (session: Session) => void): void;
}

interface PublicMethods extends RpcTarget {
  authenticate(token: string): UserMethods;
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
      // The subscriber passes a callback, which the object calls.
      const events: EventsConnection = {
        publish: (message) => stub.publish(message),
        async subscribe({ receive, fail }) {
          stub.onRpcBroken(fail);
          await stub.subscribe(receive);
        },
      };
      return {
        ...connectionOf(stub, () => stub[Symbol.dispose]()),
        lines: stub as unknown as Lines,
        events,
      };
    },
    connectAs: capnwebGateway,
  };
}

/**
 * The gateway over Cap'n Web, as its documentation authenticates: `authenticate(token)` returns what the user may do, whose
 * methods are called at once, without waiting for it. Listeners pass a callback.
 */
function capnwebGateway(baseUrl: string, instance: string, token: string): GatewayConnection {
  const stub = newWebSocketRpcSession<PublicMethods>(`${baseUrl.replace('http', 'ws')}/capnweb/gateway/${instance}`);
  const user = stub.authenticate(token);
  return gatewayOf(
    user,
    async ({ created, fail }) => {
      stub.onRpcBroken(fail);
      await user.listen(created);
    },
    () => {
      user[Symbol.dispose]();
      stub[Symbol.dispose]();
    },
  );
}

/** Cap'n Web as it is shipped. */
export const capnweb: Subject = capnwebAt('capnweb', 'capnweb');
/**
 * Cap'n Web without the compression that the platform adds to sockets of which nothing is said: not as it is shipped, but
 * what somebody can make of it who knows.
 */
export const capnwebPlain: Subject = capnwebAt('capnweb-plain', 'capnweb-plain');
