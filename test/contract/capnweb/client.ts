import type { ConnectOptions } from '@lumenize/rpc';
import { newWebSocketRpcSession, RpcTarget } from 'capnweb';
import type { Library } from '../library.ts';
import type { Lacks } from '../run-case.ts';

const SOCKETS = new WeakMap<object, { framesSent: number; framesReceived: number }>();

/** Connects with Cap'n Web as its documentation says, over a socket that is looked at from outside to count frames. */
export function connectCapnWeb(url: string, { limits }: ConnectOptions = {}): object {
  const socket = new WebSocket(url);
  const counts = { framesSent: 0, framesReceived: 0 };
  socket.addEventListener('message', () => counts.framesReceived++);
  const send = socket.send.bind(socket);
  socket.send = (data) => {
    counts.framesSent++;
    send(data);
  };
  const stub: object = newWebSocketRpcSession(socket, undefined, {
    limits: limits?.maxMessageBytes === undefined ? {} : { maxMessageSize: limits.maxMessageBytes },
  });
  SOCKETS.set(stub, counts);
  return stub;
}

/** Cap'n Web as the contract uses it. */
export const CAPN_WEB: Library = {
  RpcTarget,
  counts: (stub) => ({ ...SOCKETS.get(stub)! }),
  withOptions() {
    throw new Error('a call has no signal, no timeout and no other options');
  },
};

/** What its documentation gives no way to see. */
export const CAPN_WEB_LACKS: Lacks = {
  serverStatistics: 'sessions made as documented do not show what they count',
  collections: 'its map() runs once on what is no list, as its documentation says',
  statistics: 'sessions made as documented do not show what they count',
};
