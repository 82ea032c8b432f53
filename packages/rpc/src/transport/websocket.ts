import { SUBPROTOCOL } from '../protocol/version.ts';
import type { OpenTransport } from './transport.ts';

/** The close code that stands for a connection lost without a close frame. */
const LOST = 1006;

/** Connects with the platform's own WebSocket: browsers, Node from version 22, Workers. */
export function webSocketTransport(url: string): OpenTransport {
  return (events) => {
    const socket = new WebSocket(url, [SUBPROTOCOL]);
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => events.opened());
    socket.addEventListener('message', ({ data }) => {
      if (data instanceof ArrayBuffer) events.received(new Uint8Array(data));
    });
    // An error is always followed by a close, which says as much as a script may know.
    socket.addEventListener('close', ({ code, reason }) => events.lost(code ?? LOST, reason ?? ''));
    return {
      send: (frame) => {
        if (socket.readyState === WebSocket.OPEN) socket.send(frame);
      },
      close: (code, reason) => socket.close(code, reason),
    };
  };
}
