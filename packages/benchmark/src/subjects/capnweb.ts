import { newWebSocketRpcSession, type RpcStub, type RpcTarget } from 'capnweb';
import { connectionOf, gatewayOf, type Subject, type SubjectName, type Subscribe } from './subject.ts';

/** What has events; the subscriber passes a callback, which the object calls. */
interface Subscribable extends RpcTarget {
  subscribe(callback: (...args: never[]) => void): void;
}

interface PublicMethods extends Subscribable {
  authenticate(token: string): Subscribable;
}

/** Makes the subject that calls through Cap'n Web at a path, as its documentation does: one session from a URL, no options, closed by disposing the main stub. */
export function capnwebAt(name: SubjectName, path: string): Subject {
  const open = (baseUrl: string, what: string, instance: string): RpcStub<PublicMethods> =>
    newWebSocketRpcSession<PublicMethods>(`${baseUrl.replace('http', 'ws')}/${path}/${what}/${instance}`);
  return {
    name,
    carrier: 'socket',
    // In a Worker, whose clock counts whole milliseconds, it divides by an interval of 0 and multiplies by a round trip of 0:
    // the window is NaN from then on, and nothing is sent again. About one block in forty.
    mayHang: { scenarios: /^stream\/down/, afterMs: 2000, because: 'its flow control waits for ever' },
    connect(baseUrl, instance) {
      const stub = open(baseUrl, 'counter', instance);
      const subscribe: Subscribe = async ({ receive, fail }) => {
        stub.onRpcBroken(fail);
        await stub.subscribe(receive);
      };
      return connectionOf(stub, () => stub[Symbol.dispose](), subscribe);
    },
    // As its documentation authenticates: `authenticate(token)` returns what the user may do, whose methods are called at
    // once, without waiting for it.
    connectAs(baseUrl, instance, token) {
      const stub = open(baseUrl, 'gateway', instance);
      const user = stub.authenticate(token);
      const close = () => {
        user[Symbol.dispose]();
        stub[Symbol.dispose]();
      };
      return gatewayOf(user, close, async ({ receive, fail }) => {
        stub.onRpcBroken(fail);
        await user.subscribe((session: never) => receive(0, session));
      });
    },
  };
}

/** Cap'n Web as it is shipped. */
export const capnweb: Subject = capnwebAt('capnweb', 'capnweb');
/**
 * Cap'n Web without the compression that the platform adds to sockets of which nothing is said: not as it is shipped, but
 * what somebody can make of it who knows.
 */
export const capnwebPlain: Subject = capnwebAt('capnweb-plain', 'capnweb-plain');
