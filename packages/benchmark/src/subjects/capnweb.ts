import { newWebSocketRpcSession, type RpcTarget } from 'capnweb';
import { connectionOf, type Subject, type SubjectName, type Subscribe } from './subject.ts';

/** A target with events: the subscriber passes a callback, which the object calls. */
interface Subscribable extends RpcTarget {
  subscribe(callback: (...args: never[]) => void): void;
}

interface PublicMethods extends Subscribable {
  authenticate(token: string): Subscribable;
}

/** Makes the subject that calls through Cap'n Web at a path, as its documentation does: one session from a URL, no options, closed by disposing the main stub. */
export function capnwebAt(name: SubjectName, path: string): Subject {
  return {
    name,
    carrier: 'socket',
    // In a Worker, whose clock counts whole milliseconds, it divides by an interval of 0 and multiplies by a round trip of 0:
    // the window is NaN from then on, and nothing is sent again. About one block in forty.
    mayHang: { scenarios: /^stream\/down/, afterMs: 2000, because: 'its flow control waits for ever' },
    connect(baseUrl, instance, token) {
      const object = `${token === undefined ? 'counter' : 'gateway'}/${instance}`;
      const stub = newWebSocketRpcSession<PublicMethods>(`${baseUrl.replace('http', 'ws')}/${path}/${object}`);
      // As its documentation authenticates: `authenticate(token)` returns what the user may do, whose methods are called at
      // once, without waiting for it.
      const user = token === undefined ? undefined : stub.authenticate(token);
      const subscribe: Subscribe = async ({ receive, fail }) => {
        stub.onRpcBroken(fail);
        await (user ? user.subscribe((session: never) => receive(0, session)) : stub.subscribe(receive));
      };
      const close = () => {
        user?.[Symbol.dispose]();
        stub[Symbol.dispose]();
      };
      return connectionOf(user ?? stub, close, subscribe);
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
