/// <reference lib="esnext.disposable" preserve="true" />
import { fromMessage } from '@lumenize/structured-clone/messages';
import { CLOSE_ABNORMAL, CLOSE_DROPPED } from '../closes.ts';
import type { OpenTransport, Transport, TransportEvents } from '../transport/transport.ts';
import type { Message } from '../types/message.ts';

/** Direction of a frame: `up` from client to server, `down` from server to client. */
export type Direction = 'up' | 'down';

/** A frame that a client sent or received. */
export interface RecordedFrame {
  /** `up` if the client sent the frame, `down` if the server sent it. */
  readonly direction: Direction;
  /** The text of the frame, or a copy of its bytes. */
  readonly message: Message;
  /** Time at which it was sent or received, in milliseconds by `performance.now()`. */
  readonly timeMs: number;
  /** Number of the connection, from 1, in the order in which the network saw the connections begin. */
  readonly connection: number;
}

/**
 * A network between clients and their servers, over any transport, whose failures the test controls. Put a client
 * behind it with the option `wrapTransport: network.wrap`.
 */
export class TestNetwork {
  /**
   * Frames that clients have sent and received, in order. Frames that were lost on their way to a client are missing.
   */
  readonly frames: RecordedFrame[] = [];
  /** Functions that each cut one connection. */
  readonly #cuts = new Set<() => void>();
  readonly #holds: ((item: InTransit) => boolean)[] = [];
  #losing: Direction | undefined;
  #connections = 0;

  /** Puts a client behind this network. Pass it as the client's option `wrapTransport`. */
  readonly wrap = (open: OpenTransport): OpenTransport => {
    return (events, offer) => this.#connect(open, events, offer);
  };

  /**
   * Loses all connections at once. Frames that were sent to the server have arrived; its answers from now on are lost.
   */
  cut(): void {
    for (const cut of this.#cuts) cut();
  }

  /**
   * Loses a connection together with the next frame that goes `up` to the server or `down` to the client. The frame is
   * sent and does not arrive: with `up` its calls have not run, with `down` they have, and the client cannot tell
   * which.
   */
  cutDuring(direction: Direction): void {
    this.#losing = direction;
  }

  /**
   * Holds back everything that is sent from now on, in one direction or both, until it is released. This includes
   * frames that an earlier hold releases.
   */
  hold(direction?: Direction): HeldFrames {
    const held: InTransit[] = [];
    let isOver = false;
    let next = Promise.withResolvers<void>();
    /** Takes an item that is sent; returns false if this hold does not keep it. */
    const take = (item: InTransit) => {
      if (direction !== undefined && item.direction !== direction) return false;
      held.push(item);
      next.resolve();
      next = Promise.withResolvers();
      return true;
    };
    const release = (count?: number) => {
      if (isOver) return;
      isOver = count === undefined;
      for (let left = count ?? Number.POSITIVE_INFINITY; held.length > 0; ) {
        // Items that are not frames go with the frames before them.
        if (held[0].frame !== undefined && left-- === 0) break;
        this.#pass(held.shift()!, this.#holds.indexOf(take) + 1);
      }
      if (isOver) this.#holds.splice(this.#holds.indexOf(take), 1);
    };
    this.#holds.push(take);
    return {
      get frames() {
        return held.flatMap(({ direction, frame }) => (frame === undefined ? [] : [{ direction, message: frame }]));
      },
      async caught(count = 1) {
        while (this.frames.length < count) await next.promise;
      },
      release,
      [Symbol.dispose]: () => release(),
    };
  }

  /** Returns the frames that clients have sent and received so far: their texts, and bytes behind them in hexadecimal. */
  transcript(): string {
    return this.frames.map(({ direction, message }) => `${direction} ${textOf(message)}`).join('\n');
  }

  #connect(open: OpenTransport, events: TransportEvents, offer: readonly string[]): Transport {
    // Stays undefined if the transport cannot be opened.
    let transport: Transport | undefined;
    let isLost = false;
    let isTold = false;
    const connection = ++this.#connections;
    const record = (direction: Direction, message: Message) =>
      void this.frames.push({ direction, message: message.slice(), timeMs: performance.now(), connection });
    const tell = (code: number, reason: string) => {
      if (isTold) return;
      isTold = isLost = true;
      this.#cuts.delete(cut);
      events.closed(code, reason);
    };
    const cut = () => {
      tell(CLOSE_ABNORMAL, 'cut by the test');
      transport?.close(CLOSE_DROPPED, '');
    };
    const carry = (direction: Direction, deliver: () => void, frame?: Message) => {
      if (isLost) return;
      if (frame === undefined || direction !== this.#losing) {
        this.#pass({ direction, frame, deliver: () => isLost || deliver() });
        return;
      }
      this.#losing = undefined;
      isLost = true;
      // Later, because the client is still sending.
      queueMicrotask(cut);
    };
    this.#cuts.add(cut);
    const opened = open(
      {
        opened: () => isLost || events.opened(),
        received(frame) {
          const deliver = () => {
            record('down', frame);
            events.received(frame);
          };
          carry('down', deliver, frame);
        },
        alive: () => carry('down', () => events.alive()),
        closed: (code, reason) => carry('down', () => tell(code, reason)),
      },
      offer,
    );
    transport = opened;
    return {
      send(frame) {
        record('up', frame);
        carry('up', () => opened.send(frame), frame);
      },
      close: (code, reason) => carry('up', () => opened.close(code, reason)),
      ...(opened.probe && { probe: () => carry('up', () => opened.probe!()) }),
      ...(opened.waiting && { waiting: () => opened.waiting!() }),
    };
  }

  /** Delivers an item, unless a hold from place `from` on keeps it. */
  #pass(item: InTransit, from = 0): void {
    if (!this.#holds.slice(from).some((take) => take(item))) item.deliver();
  }
}

/**
 * An item on its way over a test network: a frame or, without `frame`, a sign of life or an end, which keeps its place
 * among the frames.
 */
interface InTransit {
  readonly direction: Direction;
  readonly frame?: Message | undefined;
  deliver(): void;
}

/** Frames that a test network holds back. Disposing releases all of them. */
export interface HeldFrames extends Disposable {
  /** The frames that are held back, the oldest first. */
  readonly frames: readonly { readonly direction: Direction; readonly message: Message }[];
  /** Resolves when this many frames are held back. @default 1 */
  caught(count?: number): Promise<void>;
  /**
   * Releases the oldest frames, and continues to hold back others. Without a number, releases all and ends the hold.
   */
  release(count?: number): void;
}

function textOf(message: Message): string {
  const { text, tail } = fromMessage(message);
  if (tail === undefined) return text;
  return `${text} + ${[...tail].map((byte) => byte.toString(16).padStart(2, '0')).join(' ')}`;
}
