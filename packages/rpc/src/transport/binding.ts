import { CLOSE_ABNORMAL, CLOSE_REFUSED } from '../protocol/close-codes.ts';
import type { NativeConnection, NativeServer, NumberedClose, NumberedFrames, OpenedConnection } from './native.ts';
import type { OpenTransport, Transport, TransportEvents } from './transport.ts';

/**
 * Carries frames by the platform's own RPC: a frame is one native call, whose answer is mostly the result frame. The
 * first one opens the connection, too.
 */
export function bindingTransport(server: NativeServer, identity: string, expiresAt?: number): OpenTransport {
  return (events) => {
    queueMicrotask(events.opened);
    return new BindingTransport(server, identity, expiresAt, events);
  };
}

/** What the platform makes of an object that a call returns: its members can be used before it has arrived. */
type Native<T> = {
  [Key in keyof T]: T[Key] extends (...args: infer Args) => infer Result
    ? (...args: Args) => Promise<Awaited<Result>>
    : Native<T[Key]>;
} & Disposable;

type Opening = Native<OpenedConnection> & PromiseLike<OpenedConnection & Disposable>;

class BindingTransport implements Transport {
  readonly #server: NativeServer;
  readonly #identity: string;
  readonly #expiresAt: number | undefined;
  readonly #events: TransportEvents;
  #opening: Opening | undefined;
  #opened: Native<OpenedConnection> | undefined;
  /** Where calls go: through the promise of the connection until what went there is answered, so that all keep their order. */
  #connection: Native<NativeConnection> | undefined;
  #sending = 0;
  /** Frames that came before their turn, by their number. */
  readonly #early = new Map<number, Uint8Array>();
  #received = 0;
  #close: NumberedClose | undefined;
  #watching = false;
  #lost = false;

  constructor(server: NativeServer, identity: string, expiresAt: number | undefined, events: TransportEvents) {
    this.#expiresAt = expiresAt;
    this.#server = server;
    this.#identity = identity;
    this.#events = events;
  }

  send(frame: Uint8Array<ArrayBuffer>): void {
    if (this.#lost) return;
    if (this.#connection === undefined) return this.#open(frame);
    // The connection itself takes half the time of its promise.
    if (this.#sending === 0 && this.#opened !== undefined) this.#connection = this.#opened.connection;
    this.#sending++;
    this.#connection.send(frame).then(
      (frames) => {
        this.#sending--;
        this.#take(frames);
      },
      (error) => this.#broken(error),
    );
  }

  close(code: number, reason: string): void {
    queueMicrotask(() => this.#end(code, reason));
  }

  #open(frame: Uint8Array): void {
    const receive = (...frames: NumberedFrames) => this.#take(frames);
    const opening = this.#server.openRpcConnection(receive, this.#identity, frame, this.#expiresAt);
    this.#opening = opening as unknown as Opening;
    this.#connection = this.#opening.connection;
    this.#opening.then(
      (opened) => {
        this.#opened = opened as unknown as Native<OpenedConnection>;
        if (this.#lost) return opened[Symbol.dispose]();
        this.#close = opened.close;
        this.#take(opened.frames);
        // Later: a connection of a single call is closed by then, and has cost a single native call.
        setTimeout(() => this.#watch());
      },
      (error) => this.#broken(error),
    );
  }

  /** Waits for the end, so that it is noticed even while no call is waiting for an answer. */
  #watch(): void {
    if (this.#lost) return;
    this.#watching = true;
    this.#connection!.ended().then(
      (close) => {
        this.#close = close;
        this.#deliver();
      },
      (error) => this.#broken(error),
    );
  }

  #take([first, ...frames]: NumberedFrames): void {
    for (const [index, frame] of frames.entries()) this.#early.set(first + index, frame);
    this.#deliver();
  }

  #deliver(): void {
    while (this.#early.has(this.#received) && !this.#lost) {
      const frame = this.#early.get(this.#received)!;
      this.#early.delete(this.#received++);
      this.#events.received(frame);
    }
    if (this.#close?.[0] === this.#received) this.#end(this.#close[1], this.#close[2]);
  }

  #broken(error: unknown): void {
    const text = String(error);
    if (!text.includes('openRpcConnection')) return this.#end(CLOSE_ABNORMAL, `NOT_EXECUTED: ${text}`);
    const hint = 'the binding leads to no class that extends RpcObject or RpcEntrypoint';
    this.#end(CLOSE_REFUSED, `NOT_FOUND: ${hint} (${text})`);
  }

  #end(code: number, reason: string): void {
    if (this.#lost) return;
    this.#lost = true;
    this.#early.clear();
    const release = () => {
      this.#opening?.[Symbol.dispose]();
      this.#opened?.[Symbol.dispose]();
    };
    // Where closing fails, the server is gone already.
    if (this.#watching) this.#connection!.close().then(release, release);
    else release();
    this.#events.lost(code, reason);
  }
}
