import { CLOSE_REFUSED } from '../protocol/close-codes.ts';
import type { NativeConnection, NativeServer, NumberedClose, NumberedFrames } from './native.ts';
import type { OpenTransport, Transport, TransportEvents } from './transport.ts';

/** A connection that broke, as sockets call it. */
const CLOSE_ABNORMAL = 1006;

/**
 * Carries frames by the platform's own RPC: a frame is one native call, whose answer is mostly the result frame. The
 * call that opens the connection is not waited for, so that it takes no round trip of its own.
 */
export function bindingTransport(server: NativeServer, identity: string): OpenTransport {
  return (events) => {
    queueMicrotask(events.opened);
    return new BindingTransport(server, identity, events);
  };
}

/** What the platform makes of the connection here: its methods can be called before it has arrived. */
type Pipelined = {
  [Method in keyof NativeConnection]: (
    ...args: Parameters<NativeConnection[Method]>
  ) => Promise<Awaited<ReturnType<NativeConnection[Method]>>>;
} & Disposable;

class BindingTransport implements Transport {
  readonly #events: TransportEvents;
  readonly #connection: Pipelined;
  /** The connection once it has arrived; what was begun through the promise goes on through it, to keep its order. */
  #stub: Disposable | undefined;
  /** Frames that came before their turn, by their number. */
  readonly #early = new Map<number, Uint8Array>();
  #received = 0;
  #close: NumberedClose | undefined;
  #ended = false;

  constructor(server: NativeServer, identity: string, events: TransportEvents) {
    this.#events = events;
    const receive = (...frames: NumberedFrames) => this.#take(frames);
    this.#connection = server.openRpcConnection(receive, identity) as unknown as Pipelined;
    Promise.resolve(this.#connection).then(
      (stub) => {
        this.#stub = stub;
        if (this.#ended) stub[Symbol.dispose]();
      },
      (error) => this.#broken(error),
    );
    this.#connection.ended().then(
      (close) => {
        this.#close = close;
        this.#deliver();
      },
      (error) => this.#broken(error),
    );
  }

  send(frame: Uint8Array<ArrayBuffer>): void {
    if (this.#ended) return;
    this.#connection.send(frame).then(
      (frames) => this.#take(frames),
      (error) => this.#broken(error),
    );
  }

  close(code: number, reason: string): void {
    queueMicrotask(() => this.#lost(code, reason));
  }

  #take([first, ...frames]: NumberedFrames): void {
    for (const [index, frame] of frames.entries()) this.#early.set(first + index, frame);
    this.#deliver();
  }

  #deliver(): void {
    while (this.#early.has(this.#received) && !this.#ended) {
      const frame = this.#early.get(this.#received)!;
      this.#early.delete(this.#received++);
      this.#events.received(frame);
    }
    if (this.#close?.[0] === this.#received) this.#lost(this.#close[1], this.#close[2]);
  }

  #broken(error: unknown): void {
    const text = String(error);
    if (!text.includes('openRpcConnection')) return this.#lost(CLOSE_ABNORMAL, `NOT_EXECUTED: ${text}`);
    const hint = 'the binding leads to no class that extends RpcObject or RpcEntrypoint';
    this.#lost(CLOSE_REFUSED, `NOT_FOUND: ${hint} (${text})`);
  }

  #lost(code: number, reason: string): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#early.clear();
    // Where that fails the server is gone already.
    this.#connection.close().catch(() => {});
    this.#connection[Symbol.dispose]();
    this.#stub?.[Symbol.dispose]();
    this.#events.lost(code, reason);
  }
}
