import { CLOSE_ABNORMAL } from '../closes.ts';
import { PING, PONG, REFUSED_SUBPROTOCOL } from '../protocol.ts';
import type { Message } from '../types/message.ts';
import type { OpenTransport } from './transport.ts';

/** The `readyState` of a socket that can send, and of one that is closing and will report its close. */
export const OPEN = 1;
const CLOSING = 2;

export type SocketEvent = 'open' | 'message' | 'error' | 'close';

/** The members of a WebSocket that are used. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly protocol: string;
  readonly bufferedAmount?: number;
  binaryType: string;
  send(message: Message): void;
  close(code: number, reason: string): void;
  // biome-ignore lint/suspicious/noExplicitAny: the members of an event depend on its type
  addEventListener(type: SocketEvent, listener: (event: any) => void): void;
}

/** Connects with the platform's own WebSocket: in browsers, Node from version 22, and Workers. */
export function webSocketTransport(url: string): OpenTransport {
  return overWebSocket((offer) => new WebSocket(url, [...offer]) as WebSocketLike);
}

/** Connects with a socket that `open` makes with the subprotocols that it is given. */
export function overWebSocket(open: (offer: readonly string[]) => WebSocketLike): OpenTransport {
  return (events, offer) => {
    const socket = open(offer);
    let isOver = false;
    const closed = ({ code, reason }: { code: number; reason: string }) => {
      if (!isOver) events.closed(code, reason);
      isOver = true;
    };
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      // After a refusal, a close with the reason follows. Nothing may be sent until then, so that no call is in doubt.
      if (socket.protocol !== REFUSED_SUBPROTOCOL) events.opened();
    });
    socket.addEventListener('message', ({ data }) => {
      if (data === PONG) events.alive();
      else events.received(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
    });
    // An error is followed by a close, which has all the information that a script may get. It is not in Node 22 if the
    // attempt to connect has failed, and not in Workers if a message cannot be read.
    socket.addEventListener('error', () => {
      const { readyState } = socket;
      if (readyState !== OPEN && readyState !== CLOSING) setTimeout(closed, 0, { code: CLOSE_ABNORMAL, reason: '' });
    });
    socket.addEventListener('close', closed);
    return {
      send(message) {
        if (socket.readyState === OPEN) socket.send(message);
      },
      close: (code, reason) => socket.close(code, reason),
      probe() {
        if (socket.readyState === OPEN) socket.send(PING);
      },
      waiting: () => socket.bufferedAmount ?? 0,
    };
  };
}
