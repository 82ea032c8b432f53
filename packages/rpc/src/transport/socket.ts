import { CLOSE_ABNORMAL, CLOSE_REFUSED } from '../closes.ts';
import { PING, PONG, SUBPROTOCOL } from '../protocol.ts';
import type { Message } from '../types/message.ts';
import { isListenable, type Listenable, listen } from './listen.ts';
import type { OpenTransport, Served, Transport } from './transport.ts';
import { OPEN, overWebSocket, type SocketEvent } from './websocket.ts';

/** Members that the sockets of all platforms have in common. */
export interface SocketLike {
  // biome-ignore lint/suspicious/noExplicitAny: sendable values differ between platforms; all take text and bytes
  send(data: any): unknown;
  close(code?: number, reason?: string): unknown;
  readonly readyState?: number;
  readonly protocol?: string | null;
  readonly bufferedAmount?: number;
  binaryType?: string;
}

/** Receives the events of a socket that is served, on servers that have one handler for the events of all sockets. */
export interface ServedSocket {
  /** Takes a message from the client: its text or its bytes. */
  receive(message: unknown): void;
  /** Must be called when the socket has closed. */
  closed(): void;
}

/**
 * Connects with a socket that `open` makes with the subprotocols it is given. The socket may be of any class like the
 * platform's WebSocket.
 */
export function socketTransport(open: (protocols: string[]) => SocketLike & Listenable): OpenTransport {
  return overWebSocket((offer) => {
    const socket = open([...offer]);
    return {
      get protocol() {
        return socket.protocol ?? '';
      },
      get readyState() {
        return socket.readyState ?? OPEN;
      },
      get bufferedAmount() {
        return socket.bufferedAmount ?? 0;
      },
      set binaryType(type: string) {
        socket.binaryType = type;
      },
      send: (message) => socket.send(message),
      close: (code, reason) => void socket.close(code, reason),
      addEventListener: (type, listener) => listenAsWeb(socket, type, listener),
    };
  });
}

/** Listens to a socket of any class as if it were a socket of the web. */
// biome-ignore lint/suspicious/noExplicitAny: the members of an event depend on its type
function listenAsWeb(socket: SocketLike & Listenable, type: SocketEvent, listener: (event: any) => void): void {
  let isOpen = false;
  const heard: Record<SocketEvent, (...parts: unknown[]) => void> = {
    open: () => {
      if (!isOpen) listener(undefined);
      isOpen = true;
    },
    message: (...message) => listener({ data: dataOf(message) }),
    // Node throws an error event that has no listener.
    error: listener,
    close: (...how) => listener(closeOf(how)),
  };
  listen(socket, type, heard[type]);
  if (type === 'open' && socket.readyState === OPEN) queueMicrotask(heard.open);
}

/**
 * Serves the client of an open socket. If the socket has no events of its own, pass its messages and its end to the
 * returned object.
 */
export function serveSocketTransport(socket: SocketLike, attach: (transport: Transport) => Served): ServedSocket {
  const send = (message: Message) => {
    if ((socket.readyState ?? OPEN) === OPEN) socket.send(message);
  };
  const close = (code: number, reason: string) => void socket.close(code, reason);
  if (socket.protocol && socket.protocol !== SUBPROTOCOL) {
    close(
      CLOSE_REFUSED,
      'VERSION_MISMATCH: the server speaks version 3 of the protocol only: reload the page, or update the older side',
    );
    return { receive: () => {}, closed: () => {} };
  }
  const served = attach({ send, close });
  const handlers = {
    receive(...message: unknown[]) {
      const data = dataOf(message);
      if (data === PING) send(PONG);
      else served.receive(data);
    },
    closed: () => served.closed(),
  };
  if (isListenable(socket)) {
    socket.binaryType = 'arraybuffer';
    listen(socket, 'message', handlers.receive);
    // In Workers, no close follows an error.
    listen(socket, 'error', handlers.closed);
    listen(socket, 'close', handlers.closed);
  }
  return handlers;
}

/** The least first byte of a text: see `FIRST_OF_TEXT` of batches. */
const FIRST_OF_TEXT = 0x30;

/** Returns the content of a message that is given as an event or by itself. */
function dataOf([message, isBinary]: unknown[]): Message {
  const data: unknown = isBytes(message) ? message : ((message as { data?: unknown } | null)?.data ?? message);
  if (!isBytes(data)) return String(data);
  const { buffer = data as ArrayBuffer, byteOffset, byteLength } = data as Partial<Uint8Array<ArrayBuffer>>;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  // Node passes text as bytes, with a flag that says that it is text. Other handlers may pass only the bytes.
  const isText = typeof isBinary === 'boolean' ? !isBinary : bytes[0] >= FIRST_OF_TEXT;
  return isText ? new TextDecoder().decode(bytes) : bytes;
}

function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Returns the code and reason of a close that are given as an event or by themselves. */
function closeOf([close, reason]: unknown[]): { code: number; reason: string } {
  if (typeof close === 'number') return { code: close, reason: String(reason ?? '') };
  const event = close as { code?: number; reason?: string } | undefined;
  return { code: event?.code ?? CLOSE_ABNORMAL, reason: event?.reason ?? '' };
}
