import type { TimedBlock } from '../statistics/pairs.ts';

/** The times of one block: one arm's turn in one round of one scenario. */
export interface Block extends TimedBlock {
  /** Of its samples. A block without them is compared only, and makes no row. */
  readonly samplesMs?: readonly number[];
}

/** One figure that is no distribution of times: a slope, a share, a rate, a size. */
export interface Figure {
  readonly scenario: string;
  readonly arm: string;
  readonly unit: string;
  readonly value: number;
  /** More figures of the same measurement by name, with their unit in it. */
  readonly detail?: Readonly<Record<string, number>>;
}

/** What an arm cannot do, and why. */
export interface Cannot {
  readonly scenario: string;
  readonly arm: string;
  readonly reason: string;
}

/** How long an arm took to become steady. */
export interface WarmUp {
  readonly arm: string;
  readonly blocks: number;
  readonly ms: number;
  readonly steady: boolean;
}

/** Frames and bytes of one sample, without the WebSocket's own framing: from the client up and to it down. */
export interface WireCost {
  readonly scenario: string;
  readonly arm: string;
  readonly framesUp: number;
  readonly framesDown: number;
  readonly bytesUp: number;
  readonly bytesDown: number;
}

/** How busy and how late a client process was while it measured. */
export interface ClientHealth {
  /** Share of the time in which the event loop was not idle. */
  readonly utilization: number;
  readonly delayP99Ms: number;
  readonly delayMaxMs: number;
}

/** All that one launch of any family found. */
export interface Report {
  readonly blocks?: readonly Block[];
  readonly figures?: readonly Figure[];
  readonly cannot?: readonly Cannot[];
  readonly warmUps?: readonly WarmUp[];
  readonly wire?: readonly WireCost[];
  readonly health?: ClientHealth;
  /** What is neither a time nor a figure, and is kept in the record as it is: small. */
  readonly extra?: unknown;
}
