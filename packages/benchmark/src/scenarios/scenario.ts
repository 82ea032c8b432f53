import type { Sample } from '../engine/row.ts';
import type { Connection } from '../subjects/subject.ts';
import type { Work } from '../work/work.ts';

/** An open connection that has been used already, and the way to open more of them. */
export interface Bench {
  readonly connection: Connection;
  /** Opens another connection to the same object; with a token, to the gateway of the same name. */
  connect(token?: string): Connection | Promise<Connection>;
  /** The subscribers to the object's events, where the scenario has an audience. */
  readonly audience?: Audience | undefined;
}

/** Those who hear of an object's events. */
export interface Audience {
  /**
   * Publishes the next `events` events in one turn and returns the time in ms until all are answered and everybody has seen
   * them; what each delivery takes goes to `samplesMs`. Rejects where an answer is wrong, or what one subscriber was sent.
   */
  hear(publisher: Work, events: number, samplesMs: number[]): Promise<number>;
  close(): void;
}

/**
 * One kind of work. A block of it starts from a counter at 0 on a fresh connection; but with an audience, which takes longer
 * to open than what is measured on it, a launch has one for each arm, and all blocks for audiences of that size use it.
 */
export interface Scenario {
  readonly name: string;
  /** The thing that one entry of `samplesMs` times. */
  readonly sample: Sample;
  /** Operations in one block, for operations per second. */
  readonly operations: number;
  /** The value of the counter after one block. */
  readonly increments: number;
  /** True if each block has to have a fresh object, although it does not increment. */
  readonly ownObject?: boolean;
  /** Number of its subscribers. */
  readonly audience?: number;
  /** True if a block takes a second or more, so that there are few of them. */
  readonly long?: boolean;
  /**
   * The block whose frames are counted, where this one is too short to have its share of those that come once in many calls; or that
   * they are not, because a shorter scenario has the same ones, or connections of its own. @default the scenario
   */
  readonly counted?: Scenario | false;
  /**
   * Runs one block, adds the time of each sample to `samplesMs` and returns the time of the whole block in ms. Throws
   * where an answer is wrong.
   */
  measure(bench: Bench, samplesMs: number[]): Promise<number>;
}

/** Resolves after `ms`; in a Worker too, where Node's own is not. */
export function delay(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

/** Throws unless the counter answered what it had to. */
export function expectAnswer(what: string, answer: unknown, expected: unknown): void {
  if (answer !== expected) throw new Error(`${what} gave ${String(answer)} instead of ${String(expected)}`);
}

/**
 * Does something `times` times, each when the one before it has been verified, and returns what all of them took; what each
 * took goes to `samplesMs`. To verify takes no part of the time.
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

/** A call, and what it has to answer the how manieth time, from 1 on. */
export type Step = readonly [what: string, call: () => PromiseLike<unknown>, expected: (i: number) => unknown];

/** Makes these calls `times` times, each begun when the one before it has been answered, and returns what all of them took. */
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
