import { setTimeout as delay } from 'node:timers/promises';
import { expectAnswer, type Scenario } from '../scenarios/scenario.ts';
import type { Subject } from '../subjects/subject.ts';

/** Reads made on a fresh connection before its block is timed: connecting is a scenario of its own. */
const FIRST_READS = 3;
/** Time for the close frames to pass, so that they are not part of the next block. */
const SETTLE_MS = 1;

/** Runs around the timed part of a block, outside of the time. */
export interface Around {
  before(): void | Promise<void>;
  after(): void | Promise<void>;
}

/**
 * Runs one block of `scenario` on a fresh connection to the object called `instance` and returns its times. The counter
 * is set to 0 first and must read what the scenario says afterwards; an error or a wrong answer rejects.
 */
export async function runBlock(
  scenario: Scenario,
  subject: Subject,
  url: string,
  instance: string,
  around?: Around,
): Promise<{ totalMs: number; samplesMs: number[] }> {
  const connect = () => subject.connect(url, instance);
  const connection = await connect();
  try {
    // One write first: the object's tables are made by it, and not by the first call that is timed.
    await connection.increment();
    await connection.reset();
    for (let i = 0; i < FIRST_READS; i++) expectAnswer('getValue after reset', await connection.getValue(), 0);
    await around?.before();
    const samplesMs: number[] = [];
    const totalMs = await scenario.measure({ connection, connect }, samplesMs);
    await around?.after();
    expectAnswer('getValue after the block', await connection.getValue(), scenario.increments);
    return { totalMs, samplesMs };
  } catch (cause) {
    throw new Error(`${scenario.name}, ${subject.name}: ${String(cause)}`, { cause });
  } finally {
    connection.close();
    await delay(SETTLE_MS);
  }
}
