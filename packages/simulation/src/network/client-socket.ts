import type { Message } from '../platform/endpoint.ts';
import { type Realm, requireRealm } from '../scheduler/realm.ts';
import type { Task } from '../scheduler/scheduler.ts';
import type { Link, LinkEvents } from './link.ts';

/** The network of a client, which opens its connections. */
export interface ClientNetwork {
  connect(url: string, protocols: readonly string[], events: ConnectEvents): Link;
  fetch(url: string, init: RequestInit, bytes: number): Promise<Response>;
}

/** The events of an attempt to connect. */
export interface ConnectEvents extends LinkEvents {
  opened(protocol: string): void;
}

/**
 * The networks of clients, by their realms. Other code, such as the program that drives clients, has a network chosen
 * by URL.
 */
export const networks = {
  ofRealms: new WeakMap<Realm, ClientNetwork>(),
  others: (_url: URL): ClientNetwork => {
    throw new Error('there is no simulated world');
  },
};

function networkOf(realm: Realm, url: string): ClientNetwork {
  return networks.ofRealms.get(realm) ?? networks.others(new URL(url));
}

/** The `fetch` of a client, over the simulated network. It supports bodies of bytes or text. */
export function clientFetch(url: string | URL, init: RequestInit = {}): Promise<Response> {
  const realm = requireRealm('fetch()');
  const { body } = init;
  const bytes = typeof body === 'string' ? body.length : ((body as Uint8Array | undefined)?.byteLength ?? 0);
  return new Promise((resolve, reject) => {
    const alive = <Value>(settle: (value: Value) => void) => {
      return (value: Value) => void (realm.isAlive && realm.run(() => settle(value)));
    };
    networkOf(realm, String(url)).fetch(String(url), init, bytes).then(alive(resolve), alive(reject));
  });
}

/** How long a closing socket waits for the other side's close, in milliseconds. */
const CLOSING_TIMEOUT_MS = 3000;

type Listener = (event: never) => void;

/** The `WebSocket` of browsers, over the simulated network. */
export class ClientWebSocket {
  static readonly CONNECTING = 0;
  static readonly OPEN = 1;
  static readonly CLOSING = 2;
  static readonly CLOSED = 3;
  readonly url: string;
  readonly extensions = '';
  readonly bufferedAmount = 0;
  protocol = '';
  binaryType = 'blob';
  readyState: number = ClientWebSocket.CONNECTING;
  onopen: Listener | null = null;
  onmessage: Listener | null = null;
  onclose: Listener | null = null;
  onerror: Listener | null = null;
  readonly #realm: Realm;
  readonly #link: Link;
  /** The timer that ends waiting for the other side's close. */
  #closing: Task | undefined;
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(url: string | URL, protocols: string | readonly string[] = []) {
    this.url = String(url);
    this.#realm = requireRealm('WebSocket');
    const network = networkOf(this.#realm, this.url);
    const inRealm = (job: () => void) => {
      if (this.#realm.isAlive) this.#realm.run(job);
    };
    const offered = typeof protocols === 'string' ? [protocols] : protocols;
    this.#link = network.connect(this.url, offered, {
      opened: (protocol) => inRealm(() => this.#opened(protocol)),
      arrived: (message) => inRealm(() => this.#arrived(message)),
      lost: () => inRealm(() => this.#closed(1006, '', false)),
    });
  }

  send(data: string | ArrayBuffer | ArrayBufferView<ArrayBuffer>): void {
    if (this.readyState === ClientWebSocket.CONNECTING) {
      throw new DOMException('Still in CONNECTING state', 'InvalidStateError');
    }
    if (this.readyState !== ClientWebSocket.OPEN) return;
    const bytes = ArrayBuffer.isView(data) ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength) : data;
    this.#link.send({ kind: 'data', data: typeof bytes === 'string' ? bytes : new Uint8Array(bytes).slice() });
  }

  close(code?: number, reason = ''): void {
    if (code !== undefined && code !== 1000 && (code < 3000 || code > 4999)) {
      throw new DOMException(`The close code must be 1000, or between 3000 and 4999: ${code}`, 'InvalidAccessError');
    }
    if (this.readyState >= ClientWebSocket.CLOSING) return;
    const wasConnecting = this.readyState === ClientWebSocket.CONNECTING;
    this.readyState = ClientWebSocket.CLOSING;
    if (wasConnecting) {
      this.#link.cut();
      return;
    }
    this.#link.send({ kind: 'close', code: code ?? 1005, reason });
    this.#closing = this.#realm.after(CLOSING_TIMEOUT_MS, 'closing', () => {
      this.#link.cut();
      this.#closed(1006, '', false);
    });
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  #opened(protocol: string): void {
    if (this.readyState !== ClientWebSocket.CONNECTING) return;
    this.readyState = ClientWebSocket.OPEN;
    this.protocol = protocol;
    this.#dispatch('open', {});
  }

  #arrived(message: Message): void {
    if (this.readyState === ClientWebSocket.CLOSED) return;
    if (message.kind === 'data') {
      if (this.readyState !== ClientWebSocket.OPEN) return;
      const { data } = message;
      this.#dispatch('message', { data: typeof data === 'string' ? data : data.slice().buffer });
    } else if (message.kind === 'close') {
      const { code, reason } = message;
      if (this.readyState === ClientWebSocket.OPEN) this.#link.send({ kind: 'close', code, reason });
      this.#link.finish();
      this.#closed(code, reason, true);
    }
  }

  #closed(code: number, reason: string, wasClean: boolean): void {
    if (this.readyState === ClientWebSocket.CLOSED) return;
    this.readyState = ClientWebSocket.CLOSED;
    this.#closing?.cancel();
    if (!wasClean) this.#dispatch('error', {});
    this.#dispatch('close', { code, reason, wasClean });
  }

  #dispatch(type: 'open' | 'message' | 'close' | 'error', event: object): void {
    const told = { type, target: this, ...event } as never;
    const handlers = [this[`on${type}`], ...(this.#listeners.get(type) ?? [])];
    for (const handler of handlers) {
      try {
        handler?.(told);
      } catch (error) {
        this.#realm.scheduler.failed(this.#realm.name, error);
      }
    }
  }
}
