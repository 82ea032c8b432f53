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
  readonly #holds: HeldFrames[] = [];
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
    const held: HeldFrames = new HeldFrames(
      direction,
      (item) => this.#pass(item, this.#holds.indexOf(held) + 1),
      () => void this.#holds.splice(this.#holds.indexOf(held), 1),
    );
    this.#holds.push(held);
    return held;
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
    if (!this.#holds.slice(from).some((held) => held.take(item))) item.deliver();
  }
}

/** Something on its way over a test network: a frame, or without `frame` a sign of life or an end, which keeps its place among them. */
export interface InTransit {
  readonly direction: Direction;
  readonly frame?: Message | undefined;
  deliver(): void;
}

/** Frames that a test network holds back. Disposing releases all. */
export class HeldFrames implements Disposable {
  readonly #direction: Direction | undefined;
  readonly #pass: (item: InTransit) => void;
  readonly #ended: () => void;
  #held: InTransit[] = [];
  #isOver = false;
  /** Resolves when one more is held. */
  #next = Promise.withResolvers<void>();

  /** `pass` takes what is let go; `ended` is called when all is, and no more is held. @internal */
  constructor(direction: Direction | undefined, pass: (item: InTransit) => void, ended: () => void) {
    this.#direction = direction;
    this.#pass = pass;
    this.#ended = ended;
  }

  /** Frames that wait, the oldest first. */
  get frames(): readonly { readonly direction: Direction; readonly message: Message }[] {
    return this.#held.flatMap(({ direction, frame }) => (frame === undefined ? [] : [{ direction, message: frame }]));
  }

  /** Resolves when that many frames wait. */
  async caught(count = 1): Promise<void> {
    while (this.frames.length < count) await this.#next.promise;
  }

  /** Releases the oldest frames and goes on holding back others; without a number, releases all and ends. */
  release(count?: number): void {
    if (this.#isOver) return;
    this.#isOver = count === undefined;
    for (let left = count ?? Number.POSITIVE_INFINITY; this.#held.length > 0; ) {
      // What is no frame goes with those before it.
      if (this.#held[0].frame !== undefined && left-- === 0) break;
      this.#pass(this.#held.shift()!);
    }
    if (this.#isOver) this.#ended();
  }

  [Symbol.dispose](): void {
    this.release();
  }

  /** Takes what is sent; false where it is not to be held back. @internal */
  take(item: InTransit): boolean {
    if (this.#direction !== undefined && item.direction !== this.#direction) return false;
    this.#held.push(item);
    this.#next.resolve();
    this.#next = Promise.withResolvers();
    return true;
  }
}
