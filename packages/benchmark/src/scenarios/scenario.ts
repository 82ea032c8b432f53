import type { Sample } from '../engine/row.ts';
import type { Connection } from '../subjects/subject.ts';
import type { Work } from '../work/work.ts';

/** An open connection that has been used already, and a way to open more. */
export interface Bench {
  readonly connection: Connection;
  /** Opens another connection to the same object or, with a token, to the gateway of the same name. */
  connect(token?: string): Connection | Promise<Connection>;
  /** The subscribers to the object's events, if the scenario has an audience. */
  readonly audience?: Audience | undefined;
}

/** The subscribers to an object's events. */
export interface Audience {
  /**
   * Publishes the next `events` events in one turn. Returns the time in ms until all calls are answered and every
   * subscriber has received all events. The time of each delivery goes to `samplesMs`. Rejects if an answer or a
   * delivery is wrong.
   */
  hear(publisher: Work, events: number, samplesMs: number[]): Promise<number>;
  close(): void;
}

/**
 * One kind of work. A block of it starts from a counter at 0 on a new connection. An audience takes longer to open than
 * the measurement on it, so a launch has one for each arm, and all blocks for audiences of that size use it.
 */
export interface Scenario {
  readonly name: string;
  /** The unit of work that one entry of `samplesMs` times. */
  readonly sample: Sample;
  /** The number of operations in one block, for operations per second. */
  readonly operations: number;
  /** The value of the counter after one block. */
  readonly increments: number;
  /** True if each block needs a new object although it does not increment. */
  readonly ownObject?: boolean;
  /** The number of subscribers. */
  readonly audience?: number;
  /** True if a block takes a second or more, so that there are few of them. */
  readonly long?: boolean;
  /**
   * The block whose frames are counted, if this scenario is too short to include frames that are sent once in many
   * calls. It is false if frames are not counted, because a shorter scenario has the same ones, or connections of its
   * own.
   * @default the scenario
   */
  readonly counted?: Scenario | false;
  /**
   * Runs one block, adds the time of each sample to `samplesMs`, and returns the time of the whole block in ms. Throws
   * if an answer is wrong.
   */
  measure(bench: Bench, samplesMs: number[]): Promise<number>;
}

/** The time for a socket to close, in milliseconds. Most take one or two. */
export const CLOSING_MS = 5;

/** Resolves after `ms`. It also works in a Worker, which lacks Node's own function. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Throws unless the answer is the expected one. */
export function expectAnswer(what: string, answer: unknown, expected: unknown): void {
  if (answer !== expected) throw new Error(`${what} gave ${String(answer)} instead of ${String(expected)}`);
}

/**
 * Runs `work` `times` times, each after the result of the one before has been verified, and returns the total time. The
 * time of each goes to `samplesMs`. Verifying is untimed.
 */
export async function timed<Result>(
  times: number,
  samplesMs: number[],
  work: (i: number) => Promise<Result>,
  verify: (result: Result, i: number) => unknown,
): Promise<number> {
  let totalMs = 0;
  for (let i = 0; i < times; i++) {
    const start = performance.now();
    const result = await work(i);
    const elapsed = performance.now() - start;
    samplesMs.push(elapsed);
    totalMs += elapsed;
    await verify(result, i);
  }
  return totalMs;
}

/** A call, and its expected result for the i-th time, counted from 1. */
export type Step = readonly [what: string, call: () => PromiseLike<unknown>, expected: (i: number) => unknown];

/** Makes these calls `times` times, each after the one before it has been answered, and returns the total time. */
export async function oneByOne(times: number, samplesMs: number[], steps: readonly Step[]): Promise<number> {
  const start = performance.now();
  let before = start;
  for (let i = 1; i <= times; i++) {
    for (const [what, call, expected] of steps) {
      expectAnswer(what, await call(), expected(i));
      const now = performance.now();
      samplesMs.push(now - before);
      before = now;
    }
  }
  return before - start;
}
