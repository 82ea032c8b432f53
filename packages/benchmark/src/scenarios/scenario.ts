import type { Audience } from '../events/audience.ts';
import type { GatewayConnection } from '../gateway/gateway.ts';
import type { Connection } from '../subjects/subject.ts';

/** The families of scenarios that this package measures by time. */
export type Family =
  | 'counter'
  | 'burst'
  | 'latency'
  | 'pipeline'
  | 'transports'
  | 'events'
  | 'feature-cost'
  | 'links'
  | 'deployed'
  | 'change'
  | 'throughput';

/** What a scenario may use: an open connection that has been used already, and the way to open more of them. */
export interface Bench {
  readonly connection: Connection;
  /** Opens another connection to the same object. */
  connect(): Connection | Promise<Connection>;
  /** Connects with a token to the gateway of the same name, where the subject has one. */
  connectAs?(token: string): GatewayConnection | Promise<GatewayConnection>;
  /** Who hears of the object's events, where the scenario has an audience. */
  readonly audience?: Audience | undefined;
}

/**
 * One kind of work. A block of it starts from a counter at 0 on a fresh connection; but with an audience, which takes longer
 * to open than what is measured on it, a launch has one for each arm, and all blocks for audiences of that size use it.
 */
export interface Scenario {
  readonly family: Family;
  readonly name: string;
  /** What one entry of `samplesMs` times. */
  readonly sample: 'call' | 'turn' | 'stream' | 'connection' | 'delivery';
  /** Operations in one block, for operations per second. */
  readonly operations: number;
  /** What the counter must read after one block. */
  readonly increments: number;
  /** Whether each block has to have a fresh object, although it does not increment. */
  readonly ownObject?: boolean;
  /** How many subscribers it has. */
  readonly audience?: number;
  /** What frames are counted of, where a block is too short to have its share of those that come once in many calls. */
  readonly counted?: Scenario;
  /**
   * Runs one block, adds the time of each sample to `samplesMs` and returns the time of the whole block in ms. Throws
   * where an answer is wrong.
   */
  measure(bench: Bench, samplesMs: number[]): Promise<number>;
}

/** Throws unless the counter answered what it had to. */
export function expectAnswer(what: string, answer: unknown, expected: unknown): void {
  if (answer !== expected) throw new Error(`${what} gave ${String(answer)} instead of ${String(expected)}`);
}
