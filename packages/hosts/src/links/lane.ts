import type { Random } from '../random.ts';

/** One direction of a link. */
export interface LaneOptions {
  readonly delayMs: number;
  /** By how much the delay is shorter or longer at most. @default 0 */
  readonly jitterMs?: number;
  readonly bitsPerSecond: number;
  /** @default 0 */
  readonly lossShare?: number;
}

/** The passage of a packet. */
export interface Passage {
  /** When it arrives, or would have, in the time of `send`. */
  readonly arrivesAt: number;
  readonly lost: boolean;
}

/** Bytes that a TCP packet carries on Ethernet, and those in front of them with time stamps. */
export const SEGMENT_BYTES = 1448;
const HEADER_BYTES = 52;

/** Packets of one burst wait behind the same things. */
const JITTER_HOLDS_MS = 2;

/**
 * One direction of a link, which all connections share: says when a packet arrives. It starts no timers, so that nothing
 * adds up: a packet leaves when those before it have left, and not when somebody has woken up.
 */
export class Lane {
  readonly #options: LaneOptions;
  readonly #random: Random;
  #freeAt = Number.NEGATIVE_INFINITY;
  #jitter = 0;
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(options: LaneOptions, random: Random) {
    this.#options = options;
    this.#random = random;
  }

  /** Sends a packet with `bytes` of data at `nowMs`, which never goes back. */
  send(bytes: number, nowMs: number): Passage {
    const { bitsPerSecond, lossShare = 0 } = this.#options;
    const begins = Math.max(nowMs, this.#freeAt);
    this.#freeAt = begins + (8 * (bytes + HEADER_BYTES) * 1000) / bitsPerSecond;
    return { arrivesAt: this.#freeAt + this.tripMs(nowMs), lost: this.#random() < lossShare };
  }

  /** Time that a packet of no size that is sent at `nowMs` is under way. */
  tripMs(nowMs: number): number {
    const { delayMs, jitterMs = 0 } = this.#options;
    if (jitterMs > 0 && nowMs - this.#drawnAt >= JITTER_HOLDS_MS) {
      this.#drawnAt = nowMs;
      this.#jitter = jitterMs * (2 * this.#random() - 1);
    }
    return delayMs + this.#jitter;
  }
}
