import { deserialize } from 'node:v8';
import { requireRealm } from '../scheduler/realm.ts';
import { Endpoint, type Message } from './endpoint.ts';
import { Life } from './life.ts';
import { serialize } from './serialize.ts';

const MAX_ATTACHMENT_BYTES = 16_384;

type Listener = (event: never) => void;

/** A `WebSocket` as code of an object sees it. After hibernation there is a new one for the same end of a socket. */
export class ObjectWebSocket {
  static readonly CONNECTING = 0;
  static readonly READY_STATE_CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly READY_STATE_OPEN = 1;
  static readonly CLOSING = 2;
  static readonly READY_STATE_CLOSING = 2;
  static readonly CLOSED = 3;
  static readonly READY_STATE_CLOSED = 3;
  readonly url = null;
  readonly protocol = '';
  readonly extensions = '';
  binaryType = 'blob';
  /** For the runtime. */
  readonly endpoint: Endpoint;
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(endpoint: Endpoint) {
    this.endpoint = endpoint;
  }

  get readyState(): number {
    const { hasSentClose, hasReceivedClose } = this.endpoint;
    if (hasSentClose && hasReceivedClose) return ObjectWebSocket.CLOSED;
    return hasSentClose || hasReceivedClose ? ObjectWebSocket.CLOSING : ObjectWebSocket.OPEN;
  }

  accept(): void {
    const { endpoint } = this;
    if (endpoint.isAccepted) throw new TypeError("Can't accept() WebSocket after enabling hibernation.");
    endpoint.isAccepted = true;
    Life.running()?.accept(this);
  }

  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    const { endpoint } = this;
    if (!endpoint.isAccepted) {
      throw new TypeError(
        'You must call one of accept() or state.acceptWebSocket() on this WebSocket before sending messages.',
      );
    }
    if (endpoint.hasSentClose) throw new TypeError("Can't call WebSocket send() after close().");
    if (endpoint.isLost) return;
    const copy = typeof data === 'string' ? data : copyOf(data);
    sendOver(endpoint, { kind: 'data', data: copy });
  }

  close(given?: number, reason = ''): void {
    const code = given ?? 1005;
    const { endpoint } = this;
    const isSendable = code >= 1000 && code < 5000 && ![1004, 1005, 1006, 1015].includes(code);
    if (!isSendable && given !== undefined) {
      throw new DOMException(`Invalid WebSocket close code: ${code}.`, 'InvalidAccessError');
    }
    if (Buffer.byteLength(reason) > 123) {
      throw new DOMException(
        'WebSocket close reason must not be longer than 123 bytes when UTF-8 encoded.',
        'SyntaxError',
      );
    }
    if (!endpoint.isAccepted) {
      throw new TypeError(
        'You must call one of accept() or state.acceptWebSocket() on this WebSocket before sending messages.',
      );
    }
    if (endpoint.hasSentClose) return;
    endpoint.hasSentClose = true;
    if (endpoint.isLost) return;
    sendOver(endpoint, { kind: 'close', code, reason });
  }

  serializeAttachment(value: unknown): void {
    const bytes = serialize(value);
    if (bytes.length > MAX_ATTACHMENT_BYTES) {
      throw new Error(
        `A WebSocket 'attachment' cannot be larger than ${MAX_ATTACHMENT_BYTES} bytes.'attachment' was ${bytes.length} bytes.`,
      );
    }
    this.endpoint.attachment = bytes;
  }

  deserializeAttachment(): unknown {
    const { attachment } = this.endpoint;
    return attachment === undefined ? null : deserialize(attachment);
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** Calls the listeners of an event. For the runtime. */
  dispatch(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener({ type, ...event } as never);
  }
}

/** The two ends of a socket. One of them is returned to the client with the response. */
export class WebSocketPair {
  readonly 0: ObjectWebSocket;
  readonly 1: ObjectWebSocket;

  constructor() {
    const { scheduler } = requireRealm('WebSocketPair');
    const [theirs, ours] = Endpoint.pair(`socket-${++scheduler.sockets}`);
    this[0] = new ObjectWebSocket(theirs);
    this[1] = new ObjectWebSocket(ours);
  }
}

/** A text that the runtime answers without waking the object, and the answer. */
export class WebSocketRequestResponsePair {
  readonly request: string;
  readonly response: string;

  constructor(request: string, response: string) {
    this.request = request;
    this.response = response;
  }
}

function copyOf(data: ArrayBuffer | ArrayBufferView<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const view = ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
  return view.slice();
}

/**
 * Sends through the life of the running code. Code outside of objects, such as code that refuses a client, sends at
 * once.
 */
function sendOver(endpoint: Endpoint, message: Message): void {
  const life = Life.running();
  if (life === undefined) endpoint.transmit(message);
  else life.send(endpoint, message);
}
