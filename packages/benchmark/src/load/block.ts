import { expectAnswer, type Scenario } from '../scenarios/scenario.ts';
import type { Subject } from '../subjects/subject.ts';
import { attempt } from './attempt.ts';
import type { BlockTimes } from './block-times.ts';
import { type OpenBench, openBench } from './open-bench.ts';

/** Reads made on a connection before its block is timed: connecting is a scenario of its own. */
const FIRST_READS = 3;

/** Runs around the timed part of a block, outside of the time. */
export interface Around {
  before(): void | Promise<void>;
  after(): void | Promise<void>;
}

/** How a block is run. */
export interface BlockOptions {
  readonly around?: Around | undefined;
  /** @default 30 s */
  readonly timeoutMs?: number | undefined;
  /** Where the same server is reached past an emulated link, by what is not timed. */
  readonly directUrl?: string | undefined;
  /** Stays open. @default a fresh one */
  readonly bench?: OpenBench | undefined;
}

/**
 * Runs one block of `scenario` on a fresh connection to the object called `instance` and returns its times. The counter
 * is set to 0 first and must read what the scenario says afterwards; an error, a wrong answer or an answer that does not
 * come rejects; what the subject cannot do rejects with `Unavailable`.
 */
export async function runBlock(
  scenario: Scenario,
  subject: Subject,
  url: string,
  instance: string,
  { around, timeoutMs, directUrl, bench }: BlockOptions = {},
): Promise<BlockTimes> {
  let opened: OpenBench | undefined;
  const work = async () => {
    if (subject.runBlock) return subject.runBlock(scenario.name, url, instance);
    if (bench === undefined) opened = await openBench(scenario, subject, { url, directUrl, instance });
    return measureOn(bench ?? opened!, scenario, around);
  };
  try {
    return await attempt(scenario, subject, work(), timeoutMs);
  } finally {
    await opened?.close();
  }
}

async function measureOn(bench: OpenBench, scenario: Scenario, around: Around | undefined): Promise<BlockTimes> {
  const { aside } = bench;
  // One write first: the object's tables are made by it, and not by the first call that is timed.
  await aside.increment();
  await aside.reset();
  for (let i = 0; i < FIRST_READS; i++) expectAnswer('getValue after reset', await aside.getValue(), 0);
  // The socket is open then, whoever opens it at the first call only.
  if (aside !== bench.connection) expectAnswer('the first getValue', await bench.connection.getValue(), 0);
  await around?.before();
  const samplesMs: number[] = [];
  const totalMs = await scenario.measure(bench, samplesMs);
  await around?.after();
  expectAnswer('getValue after the block', await aside.getValue(), scenario.increments);
  return { totalMs, samplesMs };
}
