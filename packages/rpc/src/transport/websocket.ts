import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_REFUSED, CLOSE_UNSUPPORTED_DATA, closeReason } from '../protocol/errors.ts';
import {
  answeredName,
  answerTo,
  askFor,
  isFrameText,
  type Message,
  messageOf,
  PING,
  PONG,
} from '../protocol/message.ts';
import { EARLY_SUBPROTOCOL, PROTOCOL_VERSION, REFUSED_SUBPROTOCOL, SUBPROTOCOL } from '../protocol/version.ts';
import { isListenable, type Listenable, listen, type OpenTransport, type Peer, type Transport } from './transport.ts';

/** The state of a socket that can send, `WebSocket.OPEN`. */
const OPEN = 1;

/** Common to sockets of all platforms. */
export interface SocketLike {
  // biome-ignore lint/suspicious/noExplicitAny: what can be sent differs between platforms; text and bytes always can
  send(data: any): unknown;
  close(code?: number, reason?: string): unknown;
  readonly readyState?: number;
  readonly protocol?: string | null;
  binaryType?: string;
}

/** A socket that tells of what arrives. */
type EventSocket = SocketLike & Listenable;

/** Listens to a socket, and gives the listener what an event of the web has. */
// biome-ignore lint/suspicious/noExplicitAny: what an event has depends on its type
type Listen = (socket: EventSocket, type: 'open' | 'message' | 'close', listener: (event: any) => void) => void;

/** Connects with the platform's own WebSocket: browsers, Node from version 22, Workers. */
export function webSocketTransport(url: string): OpenTransport {
  return overWebSocket((protocols) => new WebSocket(url, protocols));
}

/** Connects with a socket that `open` makes with the subprotocols it is given, of any class like the platform's WebSocket. */
export function socketTransport(open: (protocols: string[]) => EventSocket): OpenTransport {
  return overWebSocket(open, listenAsWeb);
}

/** Connects with a socket that `open` makes: one of the web, unless `on` listens to it as to one. */
export function overWebSocket(
  open: (protocols: string[]) => EventSocket,
  on: Listen = (socket, type, listener) => (socket as WebSocket).addEventListener(type, listener),
): OpenTransport {
  return (events, offer) => {
    const socket = open([...offer]);
    const send = (data: Message) => sendTo(socket, data);
    socket.binaryType = 'arraybuffer';
    on(socket, 'open', () => {
      // A close follows, with the reason: nothing is to be sent that could be said to have run, or not.
      if (socket.protocol !== REFUSED_SUBPROTOCOL) events.opened(socket.protocol === EARLY_SUBPROTOCOL);
    });
    on(socket, 'message', ({ data }: { data: unknown }) => {
      if (data === PONG) return events.alive();
      const answer = typeof data === 'string' ? answerTo(data) : undefined;
      if (answer !== undefined) return send(answer);
      // Any other text is a frame, or reads as one that is malformed.
      events.received(typeof data === 'string' ? data : viewOf(data as ArrayBuffer));
    });
    // An error is always followed by a close, which says as much as a script may know.
    on(socket, 'close', ({ code, reason }) => events.lost(code, reason));
    return { send, probe: () => send(PING), close: (code, reason) => void socket.close(code, reason) };
  };
}

/** Listens to a socket of whatever class as if it were one of the web. */
const listenAsWeb: Listen = (socket, type, listener) => {
  if (type === 'message') return void listen(socket, type, (...message) => listener({ data: dataOf(message) }));
  if (type === 'close') return void listen(socket, type, (...how) => listener(closeOf(how)));
  let isOpen = false;
  const opened = () => {
    if (!isOpen) listener(undefined);
    isOpen = true;
  };
  // What is not listened to is thrown, in Node.
  listen(socket, 'error', () => {});
  listen(socket, type, opened);
  if (socket.readyState === OPEN) queueMicrotask(opened);
};

/** Takes what comes from a socket that is served, where the server has one handler for the events of all sockets. */
export interface ServedSocket {
  /** Takes a message of the client's: its text or its bytes. */
  receive(message: unknown): void;
  /** To be called when the socket has closed. */
  lost(): void;
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
  const peer = attach({
    send: (frame) => sendTo(socket, frame),
    ask: (name) => sendTo(socket, askFor(name)),
    close: (code, reason) => void socket.close(code, reason),
  });
  const served = {
    receive: (...message: unknown[]) => {
      const data = dataOf(message);
      if (typeof data !== 'string' || isFrameText(data)) return peer.receive(data);
      const name = answeredName(data);
      if (data === PING) socket.send(PONG);
      else if (name !== undefined) peer.read?.(name);
      else socket.close(CLOSE_UNSUPPORTED_DATA, 'MALFORMED_FRAME: a text that is neither a frame nor a heartbeat');
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

/** Sends a message, or drops it where the socket is not open. */
function sendTo(socket: SocketLike, message: Message): void {
  if ((socket.readyState ?? OPEN) === OPEN) socket.send(message);
}

/** Returns the content of a message, given as an event or by itself. */
function dataOf([message, isBinary]: unknown[]): Message {
  const data: unknown = isBytes(message) ? message : ((message as { data?: unknown } | null)?.data ?? message);
  if (!isBytes(data)) return String(data);
  const bytes = viewOf(data);
  // Node's listeners are given text as bytes, and beside it that it is text. Handlers may pass on no more than the bytes.
  if (isBinary === false) return new TextDecoder().decode(bytes);
  return isBinary === true ? bytes : messageOf(bytes);
}

function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Returns the bytes of a buffer, or of a view of one. */
function viewOf(data: ArrayBuffer | ArrayBufferView<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { buffer = data as ArrayBuffer, byteOffset, byteLength } = data as Partial<Uint8Array<ArrayBuffer>>;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns code and reason of a close, given as an event or by themselves. */
function closeOf([close, reason]: unknown[]): { code: number; reason: string } {
  if (typeof close === 'number') return { code: close, reason: String(reason ?? '') };
  const event = close as { code?: number; reason?: string } | undefined;
  return { code: event?.code ?? CLOSE_ABNORMAL, reason: event?.reason ?? '' };
}
