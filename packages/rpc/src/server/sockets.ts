import { CLOSE_UNSUPPORTED_DATA } from '../protocol/close-codes.ts';
import type { Transport } from '../transport/transport.ts';
import type { ServerSession } from './session.ts';

/** The way back to the client of a socket. */
export function socketChannel(socket: WebSocket): Transport {
  return {
    send: (frame) => {
      try {
        socket.send(frame);
      } catch {
        // The client is gone: its calls settle on its side.
      }
    },
    close: (code, reason) => socket.close(code, reason),
  };
}

/** Hands a message to its session. */
export function receiveMessage(socket: WebSocket, session: ServerSession, message: string | ArrayBuffer): void {
  if (typeof message === 'string') socket.close(CLOSE_UNSUPPORTED_DATA, 'MALFORMED_FRAME: frames are binary');
  else session.receive(new Uint8Array(message));
}

/** Accepts a socket, not to hibernate, and serves it until it ends. */
export function serveAccepted(socket: WebSocket, session: ServerSession, ended = () => {}): void {
  const end = () => {
    session.lost();
    ended();
  };
  socket.binaryType = 'arraybuffer';
  socket.accept();
  socket.addEventListener('message', ({ data }) => receiveMessage(socket, session, data as string | ArrayBuffer));
  socket.addEventListener('close', end);
  socket.addEventListener('error', end);
}
