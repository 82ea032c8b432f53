import { sizeOf } from '../race/traffic.ts';

/** What a socket reports to its cable. */
interface CabledSocketHost {
  sent(bytes: number): void;
  /** Says whether what has come arrives. */
  received(bytes: number): boolean;
  ended(): void;
}

/** How a connection ends of which nothing more is heard. */
const ABNORMAL = 1006;

/** What the server is told: as little as it knows of a loss. */
const LOST = 4000;

/** A WebSocket as the library uses one, which can be cut underneath: then nothing goes either way any more. */
export class CabledSocket extends EventTarget {
  readonly #inner: WebSocket | undefined;
  readonly #host: CabledSocketHost;
  #hasEnded = false;

  /** Without an `inner` socket, the attempt to connect fails. */
  constructor(inner: WebSocket | undefined, host: CabledSocketHost) {
    super();
    this.#inner = inner;
    this.#host = host;
    if (inner === undefined) {
      // Not at once: whoever opens a socket listens to it only afterwards.
      queueMicrotask(() => this.#end(ABNORMAL, ''));
      return;
    }
    inner.addEventListener('open', () => this.#hasEnded || this.dispatchEvent(new Event('open')));
    inner.addEventListener('message', ({ data }) => this.#receive(data));
    inner.addEventListener('close', ({ code, reason }) => this.#end(code, reason));
  }

  get protocol(): string {
    return this.#inner?.protocol ?? '';
  }

  get readyState(): number {
    return this.#hasEnded ? WebSocket.CLOSED : (this.#inner?.readyState ?? WebSocket.CONNECTING);
  }

  set binaryType(type: BinaryType) {
    if (this.#inner) this.#inner.binaryType = type;
  }

  send(data: string | Uint8Array<ArrayBuffer>): void {
    if (this.#hasEnded) return;
    this.#inner?.send(data);
    if (!isHeartbeat(data)) this.#host.sent(sizeOf(data));
  }

  close(code?: number, reason?: string): void {
    if (!this.#hasEnded) this.#inner?.close(code, reason);
  }

  /** Ends it for both sides, as a loss of the network does. */
  cut(): void {
    // No code of the protocol's: 1000 would say that this client does not come back.
    this.#inner?.close(LOST);
    this.#end(ABNORMAL, '');
  }

  #receive(data: unknown): void {
    if (this.#hasEnded) return;
    if (!isHeartbeat(data) && !this.#host.received(sizeOf(data))) return;
    this.dispatchEvent(new MessageEvent('message', { data }));
  }

  #end(code: number, reason: string): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#host.ended();
    this.dispatchEvent(new CloseEvent('close', { code, reason }));
  }
}

/** Returns true for text that is no frame: a frame is bytes, or a list in JSON. */
function isHeartbeat(data: unknown): boolean {
  return typeof data === 'string' && !data.startsWith('[');
}
