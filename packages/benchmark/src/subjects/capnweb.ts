import { newWebSocketRpcSession, type RpcTarget } from 'capnweb';
import { connectionOf, type Subject, type SubjectName, type Subscribe } from './subject.ts';

/** A target with events. The subscriber passes a callback, which the object calls. */
interface Subscribable extends RpcTarget {
  subscribe(callback: (...args: never[]) => void): void;
}

interface PublicMethods extends Subscribable {
  authenticate(token: string): Subscribable;
}

/**
 * Creates the subject that calls through Cap'n Web at a path, in the way of its documentation: one session from a URL,
 * without options, closed by disposing of the main stub.
 */
export function capnwebAt(name: SubjectName, path: string): Subject {
  return {
    name,
    carrier: 'socket',
    // In a Worker, whose clock has whole milliseconds, it divides by an interval of 0 and multiplies by a round trip of
    // 0. The window is then NaN, and nothing is sent any more. This happens in about one block in forty.
    mayHang: { scenarios: /^stream\/down/, afterMs: 2000, because: 'its flow control waits for ever' },
    connect(baseUrl, instance, token) {
      const object = `${token === undefined ? 'counter' : 'gateway'}/${instance}`;
      const stub = newWebSocketRpcSession<PublicMethods>(`${baseUrl.replace('http', 'ws')}/${path}/${object}`);
      // Authenticates as its documentation does: `authenticate(token)` returns the object with the user's methods,
      // which are called at once, without waiting for it.
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

/** Cap'n Web as it is published. */
export const capnweb: Subject = capnwebAt('capnweb', 'capnweb');
/**
 * Cap'n Web without the compression that the platform adds to sockets by default. It is not published like this, but a
 * knowledgeable user can configure it.
 */
export const capnwebPlain: Subject = capnwebAt('capnweb-plain', 'capnweb-plain');
