import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_REFUSED, CLOSE_UNSUPPORTED_DATA, closeReason } from '../protocol/close-codes.ts';
import { answeredName, askFor, PING, PONG } from '../protocol/heartbeat.ts';
import { isFrameText, type Message, messageOf } from '../protocol/message.ts';
import { PROTOCOL_VERSION, SUBPROTOCOL } from '../protocol/version.ts';
import { isListenable, type Listenable, listen } from './listen.ts';
import type { OpenTransport, Peer, Transport } from './transport.ts';
import { overWebSocket, type WebSocketLike } from './websocket.ts';

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

/** Connects with a socket that `open` makes with the subprotocols it is given, of any class like the platform's WebSocket. */
export function socketTransport(open: (protocols: string[]) => SocketLike & Listenable): OpenTransport {
  return overWebSocket((protocols) => new WebLikeSocket(open(protocols)));
}

/** A socket of whatever class, as the web would have it. */
class WebLikeSocket implements WebSocketLike {
  readonly #socket: SocketLike & Listenable;

  constructor(socket: SocketLike & Listenable) {
    this.#socket = socket;
    // What is not listened to is thrown, in Node.
    listen(socket, 'error', () => {});
  }

  get readyState(): number {
    return this.#socket.readyState ?? OPEN;
  }

  get protocol(): string {
    return this.#socket.protocol ?? '';
  }

  set binaryType(type: string) {
    this.#socket.binaryType = type;
  }

  send(data: Message): void {
    this.#socket.send(data);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  // biome-ignore lint/suspicious/noExplicitAny: what an event has depends on its type
  addEventListener(type: 'open' | 'message' | 'close', listener: (event: any) => void): void {
    const socket = this.#socket;
    if (type === 'message') listen(socket, type, (...message) => listener({ data: dataOf(message) }));
    else if (type === 'close') listen(socket, type, (...how) => listener(closeOf(how)));
    else {
      let isOpen = false;
      const opened = () => {
        if (!isOpen) listener(undefined);
        isOpen = true;
      };
      listen(socket, type, opened);
      if (socket.readyState === OPEN) queueMicrotask(opened);
    }
  }
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
    send: (frame) => {
      if ((socket.readyState ?? OPEN) === OPEN) socket.send(frame);
    },
    ask: (name) => {
      if ((socket.readyState ?? OPEN) === OPEN) socket.send(askFor(name));
    },
    close: (code, reason) => void socket.close(code, reason),
  });
  const served = {
    receive: (...message: unknown[]) => {
      const data = dataOf(message);
      if (typeof data !== 'string' || isFrameText(data)) return peer.receive(data);
      const name = answeredName(data);
      if (data === PING) socket.send(PONG);
      else if (name !== undefined) peer.read?.(name);
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
  /** Takes a message of the client's: its text or its bytes. */
  receive(message: unknown): void;
  /** To be called when the socket has closed. */
  lost(): void;
}

/** Returns the content of a message, given as an event or by itself. */
function dataOf([message, isBinary]: unknown[]): Message {
  const data: unknown = isBytes(message) ? message : ((message as { data?: unknown } | null)?.data ?? message);
  if (!isBytes(data)) return String(data);
  const { buffer = data as ArrayBuffer, byteOffset, byteLength } = data as Partial<Uint8Array<ArrayBuffer>>;
  const bytes = new Uint8Array(buffer, byteOffset, byteLength);
  // Node's listeners are given text as bytes, and beside it that it is text. Handlers may pass on no more than the bytes.
  if (isBinary === false) return new TextDecoder().decode(bytes);
  return isBinary === true ? bytes : messageOf(bytes);
}

function isBytes(value: unknown): value is ArrayBuffer | ArrayBufferView<ArrayBuffer> {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Code and reason of a close, given as an event or by themselves. */
function closeOf([close, reason]: unknown[]): { code: number; reason: string } {
  if (typeof close === 'number') return { code: close, reason: String(reason ?? '') };
  const event = close as { code?: number; reason?: string } | undefined;
  return { code: event?.code ?? CLOSE_ABNORMAL, reason: event?.reason ?? '' };
}
