import { answerTo, PING, PONG } from '../protocol/heartbeat.ts';
import type { Message } from '../protocol/message.ts';
import { EARLY_SUBPROTOCOL, REFUSED_SUBPROTOCOL } from '../protocol/version.ts';
import type { OpenTransport } from './transport.ts';

/** The state of a socket that can send, `WebSocket.OPEN`. */
const OPEN = 1;

/** A socket of the web, as far as it is used here. Its messages are text, buffers or views of them. */
export interface WebSocketLike {
  readonly readyState: number;
  readonly protocol: string | null;
  binaryType: string;
  send(data: Message): void;
  close(code: number, reason: string): void;
  addEventListener(type: 'open', listener: () => void): void;
  addEventListener(type: 'message', listener: (event: { data: unknown }) => void): void;
  addEventListener(type: 'close', listener: (event: { code: number; reason: string }) => void): void;
}

/** Connects with the platform's own WebSocket: browsers, Node from version 22, Workers. */
export function webSocketTransport(url: string): OpenTransport {
  return overWebSocket((protocols) => new WebSocket(url, protocols));
}

/** Connects with a socket of the web, which `open` makes with the subprotocols it is given. */
export function overWebSocket(open: (protocols: string[]) => WebSocketLike): OpenTransport {
  return (events, offer) => {
    const socket = open([...offer]);
    const send = (data: Message) => {
      if (socket.readyState === OPEN) socket.send(data);
    };
    socket.binaryType = 'arraybuffer';
    socket.addEventListener('open', () => {
      // A close follows, with the reason: nothing is to be sent that could be said to have run, or not.
      if (socket.protocol !== REFUSED_SUBPROTOCOL) events.opened(socket.protocol === EARLY_SUBPROTOCOL);
    });
    socket.addEventListener('message', ({ data }) => {
      if (data === PONG) return events.alive();
      const answer = typeof data === 'string' ? answerTo(data) : undefined;
      if (answer !== undefined) return send(answer);
      // Any other text is a frame, or reads as one that is malformed.
      if (typeof data === 'string') return events.received(data);
      const { buffer = data as ArrayBuffer, byteOffset, byteLength } = data as Partial<Uint8Array<ArrayBuffer>>;
      events.received(new Uint8Array(buffer, byteOffset, byteLength));
    });
    // An error is always followed by a close, which says as much as a script may know.
    socket.addEventListener('close', ({ code, reason }) => events.lost(code, reason));
    return { send, probe: () => send(PING), close: (code, reason) => socket.close(code, reason) };
  };
}
