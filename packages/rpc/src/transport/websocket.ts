import { SUBPROTOCOL } from '../protocol/version.ts';
import type { OpenTransport } from './transport.ts';

/** The state of a socket that can send, `WebSocket.OPEN`. */
const OPEN = 1;

/** Connects with the platform's own WebSocket: browsers, Node from version 22, Workers. */
export function webSocketTransport(url: string): OpenTransport {
  return (events) => {
    const socket = new WebSocket(url, [SUBPROTOCOL]);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', events.opened);
    // A frame that is text is none of the protocol's, and reads as one that is malformed.
    socket.addEventListener('message', ({ data }) => events.received(new Uint8Array(data as ArrayBuffer)));
    // An error is always followed by a close, which says as much as a script may know.
    socket.addEventListener('close', ({ code, reason }) => events.lost(code, reason));
    return {
      send: (frame) => {
        if (socket.readyState === OPEN) socket.send(frame);
      },
      close: (code, reason) => socket.close(code, reason),
    };
  };
}
