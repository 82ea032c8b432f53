import { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_ABNORMAL, CLOSE_REFUSED, CLOSE_UNSUPPORTED_DATA, closeReason } from '../protocol/close-codes.ts';
import { answeredName, askFor, PING, PONG } from '../protocol/heartbeat.ts';
import { PROTOCOL_VERSION, SUBPROTOCOL } from '../protocol/version.ts';
import { isListenable, type Listenable, listen } from './listen.ts';
import type { OpenTransport, Peer, Transport } from './transport.ts';
import { overWebSocket, type WebSocketLike } from './websocket.ts';

/** The state of a socket that can send, `WebSocket.OPEN`. */
const OPEN = 1;

/** Common to sockets of all platforms. */
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

  send(data: string | Uint8Array<ArrayBuffer>): void {
    this.#socket.send(data);
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, reason);
  }

  // biome-ignore lint/suspicious/noExplicitAny: what an event has depends on its type
  addEventListener(type: 'open' | 'message' | 'close', listener: (event: any) => void): void {
    const socket = this.#socket;
    if (type === 'message') listen(socket, type, (...message) => listener(messageOf(message)));
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
      const bytes = bytesOf(message);
      if (bytes !== undefined) return peer.receive(bytes);
      const text = textOf(message);
      const name = answeredName(text);
      if (text === PING) socket.send(PONG);
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
  /** Takes a message of the client's: its bytes. */
  receive(message: unknown): void;
  /** To be called when the socket has closed. */
  lost(): void;
}

/** A message as the web has it. */
function messageOf(message: unknown[]): { data: unknown } {
  return { data: bytesOf(message) ?? textOf(message) };
}

/** The bytes of a message, given as an event or by themselves; undefined where it is text. */
function bytesOf([message, isBinary]: unknown[]): Uint8Array | undefined {
  // Node's listeners are given text as bytes, and beside it that it is text.
  if (isBinary === false) return undefined;
  const data: unknown = isBytes(message) ? message : (message as { data?: unknown } | null)?.data;
  if (data instanceof ArrayBuffer) return new Uint8Array(data);
  return ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : undefined;
}

/** A message that is text; Node's listeners are given that as bytes. */
function textOf([message]: unknown[]): string {
  const text: unknown = (message as { data?: unknown } | null)?.data ?? message;
  return isBytes(text) ? new TextDecoder().decode(text as Uint8Array) : String(text);
}

function isBytes(value: unknown): boolean {
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value);
}

/** Code and reason of a close, given as an event or by themselves. */
function closeOf([close, reason]: unknown[]): { code: number; reason: string } {
  if (typeof close === 'number') return { code: close, reason: String(reason ?? '') };
  const event = close as { code?: number; reason?: string } | undefined;
  return { code: event?.code ?? CLOSE_ABNORMAL, reason: event?.reason ?? '' };
}
