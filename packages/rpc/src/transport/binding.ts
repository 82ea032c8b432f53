import { CLOSE_ABNORMAL, CLOSE_REFUSED } from '../protocol/close-codes.ts';
import type { Message } from '../protocol/message.ts';
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

/** The platform's stub of an object that a call returns: its members can be used before it has arrived. */
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
  readonly #early = new Map<number, Message>();
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

  send(frame: Message): void {
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

  #open(frame: Message): void {
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

/** Frames from the server, with the number of the first: the platform may deliver an answer before what was sent earlier. */
export type NumberedFrames = [first: number, ...frames: Message[]];

/** How a connection ended, with the number of frames that came before. */
export type NumberedClose = [frames: number, code: number, reason: string];

/** The server's end of a connection over the platform's own RPC: an object that stays there while the client holds it. */
export interface NativeConnection {
  /** Runs a call frame. Resolves to the result frames that are ready then; later ones are given to `receive`. */
  send(frame: Message): NumberedFrames | Promise<NumberedFrames>;
  /** Resolves when the server ends the connection, and rejects when the platform loses it. */
  ended(): Promise<NumberedClose>;
  /** Ends the connection: to release this object alone would not, as long as `ended` is waiting. */
  close(): void;
}

/** The answer to opening a connection: what became of the first frame, as far as that was ready at once. */
export interface OpenedConnection {
  connection: NativeConnection;
  frames: NumberedFrames;
  /** Set where the connection was refused. */
  close?: NumberedClose | undefined;
}

/** Takes frames for which no `send` is waiting. */
export type ReceiveNative = (...frames: NumberedFrames) => void | Promise<void>;

/** A Durable Object, or a Worker behind a service binding, that others can connect to. */
export interface NativeServer {
  /**
   * Opens a connection and runs its first frame: one native call for both. `identity` is in the text form of the codec,
   * so that it may be any value that can be cloned; `expiresAt` says until when it is to be believed, in milliseconds
   * since 1970.
   */
  openRpcConnection(
    receive: ReceiveNative,
    identity: string,
    frame: Message,
    expiresAt?: number,
  ): OpenedConnection | Promise<OpenedConnection>;
}
