import { describeFrame } from '../inspect/describe-frame.ts';
import { formatFrame } from '../inspect/format-frame.ts';
import type { Direction } from '../inspect/frame-description.ts';
import { type RecordedFrame, recordFrames } from '../inspect/record-frames.ts';
import { CLOSE_ABNORMAL, CLOSE_DROPPED } from '../protocol/errors.ts';
import type { Message } from '../protocol/message.ts';
import type { OpenTransport, Transport, TransportEvents } from '../transport/transport.ts';

/**
 * Stands between clients and their servers, over any transport, and does to their connections what networks do, when the test says so.
 * Put a client behind it with the option `wrapTransport: network.wrap`.
 */
export class TestNetwork {
  /** Frames that clients have sent and received, in order, without those that were lost on their way to a client. */
  readonly frames: RecordedFrame[] = [];
  /** Cuts connections, each by its own. */
  readonly #cuts = new Set<() => void>();
  readonly #holds: ((item: InTransit) => boolean)[] = [];
  #losing: Direction | undefined;
  readonly #record = recordFrames((frame) => void this.frames.push(frame));

  /** Puts a client behind this network, as its option `wrapTransport`. */
  readonly wrap = (open: OpenTransport): OpenTransport => {
    const wired: OpenTransport = (events, offer) => this.#connect(open, events, offer);
    return this.#record(Object.assign(wired, { stateless: open.stateless }));
  };

  /** Loses all connections at once. What was sent to the server has arrived; what it answers from now on is lost. */
  cut(): void {
    for (const cut of this.#cuts) cut();
  }

  /**
   * Loses a connection with the next frame that goes `up` to the server or `down` to the client: it is sent, and does not arrive. With
   * `up` its calls have not run, with `down` they have, and the client cannot tell which.
   */
  cutDuring(direction: Direction): void {
    this.#losing = direction;
  }

  /** Holds back what is sent from now on, in one direction or both, until it is released, including what an earlier hold releases. */
  hold(direction?: Direction): HeldFrames {
    const held: InTransit[] = [];
    let isOver = false;
    let next = Promise.withResolvers<void>();
    /** Takes what is sent; false where it is not to be held back. */
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
        // What is no frame goes with those before it.
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

  /** Returns what clients have sent and received so far, as text. */
  transcript(): string {
    return this.frames
      .map(({ direction, message }) => `${direction} ${formatFrame(describeFrame(message, direction))}`)
      .join('\n');
  }

  #connect(open: OpenTransport, events: TransportEvents, offer: readonly string[]): Transport {
    // Undefined where it could not even be opened.
    let transport: Transport | undefined;
    let isLost = false;
    let isTold = false;
    const tell = (code: number, reason: string) => {
      if (isTold) return;
      isTold = isLost = true;
      this.#cuts.delete(cut);
      events.lost(code, reason);
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
      // Later: it is the client that is sending.
      queueMicrotask(cut);
    };
    this.#cuts.add(cut);
    const opened = open(
      {
        opened: (isAhead) => isLost || events.opened(isAhead),
        received: (frame) => carry('down', () => events.received(frame), frame),
        answered: (frames) => carry('down', () => events.answered(frames)),
        alive: () => carry('down', () => events.alive()),
        lost: (code, reason) => carry('down', () => tell(code, reason)),
      },
      offer,
    );
    transport = opened;
    return {
      send: (frame) => carry('up', () => opened.send(frame), frame),
      close: (code, reason) => carry('up', () => opened.close(code, reason)),
      ...(opened.probe && { probe: () => carry('up', () => opened.probe!()) }),
    };
  }

  /** Sends what no hold keeps, of those from a place on. */
  #pass(item: InTransit, from = 0): void {
    if (!this.#holds.slice(from).some((take) => take(item))) item.deliver();
  }
}

/** Something on its way over a test network: a frame, or without `frame` a sign of life or an end, which keeps its place among them. */
interface InTransit {
  readonly direction: Direction;
  readonly frame?: Message | undefined;
  deliver(): void;
}

/** Frames that a test network holds back. Disposing releases all. */
export interface HeldFrames extends Disposable {
  /** Frames that wait, the oldest first. */
  readonly frames: readonly { readonly direction: Direction; readonly message: Message }[];
  /** Resolves when that many frames wait. @default 1 */
  caught(count?: number): Promise<void>;
  /** Releases the oldest frames and goes on holding back others; without a number, releases all and ends. */
  release(count?: number): void;
}
