import { CLOSE_ABNORMAL, CLOSE_REFUSED, closeReason, versionError } from '../protocol/errors.ts';
import { answerTo, askFor, isFrameText, type Message, messageOf, PING, PONG } from '../protocol/message.ts';
import { EARLY_SUBPROTOCOL, REFUSED_SUBPROTOCOL, SUBPROTOCOL } from '../protocol/version.ts';
import { isListenable, type Listenable, listen, type OpenTransport, type Peer, type Transport } from './transport.ts';

/** The `readyState` of a socket that can send. */
const OPEN = 1;
/** The `readyState` of a socket that is closing, and will report its close. */
const CLOSING = 2;

/** Members that the sockets of all platforms have in common. */
export interface SocketLike {
  // biome-ignore lint/suspicious/noExplicitAny: sendable values differ between platforms; all take text and bytes
  send(data: any): unknown;
  close(code?: number, reason?: string): unknown;
  readonly readyState?: number;
  readonly protocol?: string | null;
  binaryType?: string;
}

/** A socket that reports its events. */
type EventSocket = SocketLike & Listenable;

type SocketEvent = 'open' | 'message' | 'error' | 'close';

/** Listens to a socket, and calls the listener with an event as on the web. */
// biome-ignore lint/suspicious/noExplicitAny: the members of an event depend on its type
type Listen = (socket: EventSocket, type: SocketEvent, listener: (event: any) => void) => void;

/** Connects with the platform's own WebSocket: in browsers, Node from version 22, and Workers. */
export function webSocketTransport(url: string): OpenTransport {
  return overWebSocket((protocols) => new WebSocket(url, protocols));
}

/**
 * Connects with a socket that `open` makes with the subprotocols it is given. The socket may be of any class like the
 * platform's WebSocket.
 */
export function socketTransport(open: (protocols: string[]) => EventSocket): OpenTransport {
  return overWebSocket(open, listenAsWeb);
}

/**
 * Connects with a socket that `open` makes. It is a socket of the web, unless `on` listens to a socket of another
 * class.
 */
export function overWebSocket(
  open: (protocols: string[]) => EventSocket,
  on: Listen = (socket, type, listener) => (socket as WebSocket).addEventListener(type, listener),
): OpenTransport {
  return (events, offer) => {
    const socket = open([...offer]);
    const send = (data: Message) => sendTo(socket, data);
    let isOver = false;
    const closed = ({ code, reason }: { code: number; reason: string }) => {
      if (!isOver) events.closed(code, reason);
      isOver = true;
    };
    socket.binaryType = 'arraybuffer';
    on(socket, 'open', () => {
      // After a refusal, a close with the reason follows. Nothing may be sent until then, so that no call is in doubt.
      if (socket.protocol !== REFUSED_SUBPROTOCOL) events.opened(socket.protocol === EARLY_SUBPROTOCOL);
    });
    on(socket, 'message', ({ data }: { data: unknown }) => {
      if (data === PONG) return events.alive();
      const answer = typeof data === 'string' ? answerTo(data) : undefined;
      if (answer !== undefined) return send(answer);
      // Any other text is a frame, or is refused as a malformed one.
      events.received(typeof data === 'string' ? data : new Uint8Array(data as ArrayBuffer));
    });
    // An error is followed by a close, which has all the information that a script may get. It is not in Node 22 if the
    // attempt to connect has failed, and not in Workers if a message cannot be read.
    on(socket, 'error', () => {
      const { readyState = OPEN } = socket;
      if (readyState !== OPEN && readyState !== CLOSING) setTimeout(closed, 0, { code: CLOSE_ABNORMAL, reason: '' });
    });
    on(socket, 'close', closed);
    return { send, probe: () => send(PING), close: (code, reason) => void socket.close(code, reason) };
  };
}

/** Listens to a socket of any class as if it were a socket of the web. */
const listenAsWeb: Listen = (socket, type, listener) => {
  // Node throws an error event that has no listener.
  if (type === 'error') return void listen(socket, type, listener);
  if (type === 'message') return void listen(socket, type, (...message) => listener({ data: dataOf(message) }));
  if (type === 'close') return void listen(socket, type, (...how) => listener(closeOf(how)));
  let isOpen = false;
  const opened = () => {
    if (!isOpen) listener(undefined);
    isOpen = true;
  };
  listen(socket, type, opened);
  if (socket.readyState === OPEN) queueMicrotask(opened);
};

/** Receives the events of a socket that is served, on servers that have one handler for the events of all sockets. */
export interface ServedSocket {
  /** Takes a message from the client: its text or its bytes. */
  receive(message: unknown): void;
  /** Must be called when the socket has closed. */
  closed(): void;
}

/**
 * Serves the client of an open socket. If the socket has no events of its own, pass its messages and its end to the
 * returned object.
 */
export function serveSocketTransport(socket: SocketLike, attach: (channel: Transport) => Peer): ServedSocket {
  if (socket.protocol && socket.protocol !== SUBPROTOCOL) {
    socket.close(CLOSE_REFUSED, closeReason(versionError()));
    return { receive: () => {}, closed: () => {} };
  }
  const peer = attach({
    send: (frame) => sendTo(socket, frame),
    ask: (name) => sendTo(socket, askFor(name)),
    close: (code, reason) => void socket.close(code, reason),
  });
  const served = {
    receive: (...message: unknown[]) => {
      const data = dataOf(message);
      if (typeof data !== 'string' || isFrameText(data)) peer.receive(data);
      else peer.receiveText?.(data);
    },
    closed: () => peer.closed(),
  };
  if (isListenable(socket)) {
    socket.binaryType = 'arraybuffer';
    listen(socket, 'message', served.receive);
    // In Workers, no close follows an error.
    listen(socket, 'error', served.closed);
    listen(socket, 'close', served.closed);
  }
  return served;
}

/** Sends a message, or drops it if the socket is not open. */
function sendTo(socket: SocketLike, message: Message): void {
  if ((socket.readyState ?? OPEN) === OPEN) socket.send(message);
}

/** Returns the content of a message that is given as an event or by itself. */
function dataOf([message, isBinary]: unknown[]): Message {
  const data: unknown = isBytes(message) ? message : ((message as { data?: unknown } | null)?.data ?? message);
  if (!isBytes(data)) return String(data);
  const bytes = viewOf(data);
  // Node passes text as bytes, with a flag that says that it is text. Other handlers may pass only the bytes.
  if (isBinary === false) return new TextDecoder().decode(bytes);
  return isBinary === true ? bytes : messageOf(bytes);
}

function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Returns the bytes of a buffer or of a view. */
function viewOf(data: ArrayBuffer | ArrayBufferView<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { buffer = data as ArrayBuffer, byteOffset, byteLength } = data as Partial<Uint8Array<ArrayBuffer>>;
  return new Uint8Array(buffer, byteOffset, byteLength);
}

/** Returns the code and reason of a close that are given as an event or by themselves. */
function closeOf([close, reason]: unknown[]): { code: number; reason: string } {
  if (typeof close === 'number') return { code: close, reason: String(reason ?? '') };
  const event = close as { code?: number; reason?: string } | undefined;
  return { code: event?.code ?? CLOSE_ABNORMAL, reason: event?.reason ?? '' };
}
