import type { Random } from '../random.ts';

/** The properties of one direction of a link. */
export interface LaneOptions {
  readonly delayMs: number;
  /** The maximum by which the delay is shorter or longer. @default 0 */
  readonly jitterMs?: number;
  readonly bitsPerSecond: number;
  /** The share of packets that are lost. @default 0 */
  readonly lossShare?: number;
}

/** The passage of a packet over a link. */
export interface Passage {
  /** When the packet arrives, or would arrive if it were not lost. It has the same time base as `send`. */
  readonly arrivesAt: number;
  readonly lost: boolean;
}

/** The data bytes of a TCP packet on Ethernet. `HEADER_BYTES` are the bytes in front of them, with time stamps. */
export const SEGMENT_BYTES = 1448;
const HEADER_BYTES = 52;

/** How long the jitter stays the same: packets of one burst wait for the same reasons. */
const JITTER_HOLDS_MS = 2;

/**
 * One direction of a link that all connections share. It calculates when packets arrive. It uses no timers, so delays
 * of timers do not add up: a packet leaves as soon as the packets before it have left.
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

  /** Sends a packet with `bytes` of data at `nowMs`. `nowMs` must never decrease. */
  send(bytes: number, nowMs: number): Passage {
    const { bitsPerSecond, lossShare = 0 } = this.#options;
    const begins = Math.max(nowMs, this.#freeAt);
    this.#freeAt = begins + (8 * (bytes + HEADER_BYTES) * 1000) / bitsPerSecond;
    return { arrivesAt: this.#freeAt + this.tripMs(nowMs), lost: this.#random() < lossShare };
  }

  /** Returns how long a packet of size zero is under way if it is sent at `nowMs`. */
  tripMs(nowMs: number): number {
    const { delayMs, jitterMs = 0 } = this.#options;
    if (jitterMs > 0 && nowMs - this.#drawnAt >= JITTER_HOLDS_MS) {
      this.#drawnAt = nowMs;
      this.#jitter = jitterMs * (2 * this.#random() - 1);
    }
    return delayMs + this.#jitter;
  }
}
