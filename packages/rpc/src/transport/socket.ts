import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_REFUSED, CLOSE_UNSUPPORTED_DATA, closeReason } from '../protocol/close-codes.ts';
import { PING, PONG } from '../protocol/heartbeat.ts';
import { EARLY_SUBPROTOCOL, PROTOCOL_VERSION, SUBPROTOCOL } from '../protocol/version.ts';
import { isListenable, type Listenable, listen } from './listen.ts';
import type { OpenTransport, Peer, Transport } from './transport.ts';

/** The state of a socket that can send, `WebSocket.OPEN`. */
const OPEN = 1;

/** What sockets of all platforms have in common. */
export interface SocketLike {
  // biome-ignore lint/suspicious/noExplicitAny: what can be sent differs between platforms; bytes always can
  send(data: any): unknown;
  close(code?: number, reason?: string): unknown;
  readonly readyState?: number;
  readonly protocol?: string | null;
  binaryType?: string;
}

/** Connects with a socket that `open` makes with the subprotocols it is given, of any class like the platform's WebSocket. */
export function socketTransport(open: (protocols: string[]) => SocketLike & Listenable): OpenTransport {
  return (events, offer) => {
    const socket = open([...offer]);
    socket.binaryType = 'arraybuffer';
    let opened = false;
    const onOpen = () => {
      if (!opened) events.opened(socket.protocol === EARLY_SUBPROTOCOL);
      opened = true;
    };
    listen(socket, 'open', onOpen);
    if (socket.readyState === OPEN) queueMicrotask(onOpen);
    listen(socket, 'message', (...message) => {
      const bytes = bytesOf(message);
      if (bytes === undefined && isText(message, PONG)) events.alive();
      // A frame that is any other text is none of the protocol's, and reads as one that is malformed.
      else events.received(bytes ?? new Uint8Array(0));
    });
    // An error is always followed by a close, which says as much as a script may know.
    listen(socket, 'error', () => {});
    listen(socket, 'close', (...how) => events.lost(...closeOf(how)));
    const channel = channelOf(socket);
    const probe = () => {
      if ((socket.readyState ?? OPEN) === OPEN) socket.send(PING);
    };
    return { ...channel, probe };
  };
}

/**
 * Serves the client of a socket that is open. What it returns has to be told of messages and of the end where the
 * socket has no events of its own.
 */
export function serveSocketTransport(socket: SocketLike, attach: (channel: Transport) => Peer): ServedSocket {
  if (socket.protocol && socket.protocol !== SUBPROTOCOL) {
    const message = `the server speaks version ${PROTOCOL_VERSION} of the protocol only: reload the page`;
    socket.close(CLOSE_REFUSED, closeReason(new RpcError('VERSION_MISMATCH', message)));
    return { receive: () => {}, lost: () => {} };
  }
  const peer = attach(channelOf(socket));
  const served = {
    receive: (...message: unknown[]) => {
      const bytes = bytesOf(message);
      if (bytes !== undefined) peer.receive(bytes);
      else if (isText(message, PING)) socket.send(PONG);
      else socket.close(CLOSE_UNSUPPORTED_DATA, 'MALFORMED_FRAME: frames are binary');
    },
    lost: () => peer.lost(),
  };
  if (isListenable(socket)) {
    socket.binaryType = 'arraybuffer';
    listen(socket, 'message', served.receive);
    listen(socket, 'error', () => {});
    listen(socket, 'close', served.lost);
  }
  return served;
}

/** A socket that is served, for servers whose sockets have no events but a handler for all of them. */
export interface ServedSocket {
  /** Takes a message of the client's: its bytes. */
  receive(message: unknown): void;
  /** To be called when the socket has closed. */
  lost(): void;
}

function channelOf(socket: SocketLike): Transport {
  return {
    send: (frame) => {
      if ((socket.readyState ?? OPEN) === OPEN) socket.send(frame);
    },
    close: (code, reason) => void socket.close(code, reason),
  };
}

/** The bytes of a message, given as an event or by themselves; undefined where it is text. */
function bytesOf([message, isBinary]: unknown[]): Uint8Array | undefined {
  // Node's listeners are given text as bytes, and beside it that it is text.
  if (isBinary === false) return undefined;
  const data: unknown = isBytes(message) ? message : (message as { data?: unknown } | null)?.data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : undefined;
}

/** Whether a message that is text says just that; Node's listeners are given text as bytes. */
function isText([message]: unknown[], wanted: string): boolean {
  const text: unknown = (message as { data?: unknown } | null)?.data ?? message;
  return text === wanted || (isBytes(text) && new TextDecoder().decode(text as Uint8Array) === wanted);
}

function isBytes(value: unknown): boolean {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Code and reason of a close, given as an event or by themselves. */
function closeOf([close, reason]: unknown[]): [code: number, reason: string] {
  if (typeof close === 'number') return [close, String(reason ?? '')];
  const event = close as { code?: number; reason?: string } | undefined;
  return [event?.code ?? CLOSE_ABNORMAL, event?.reason ?? ''];
}
