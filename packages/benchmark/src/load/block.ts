import { delay } from '../delay.ts';
import { type Bench, expectAnswer, type Scenario } from '../scenarios/scenario.ts';
import type { Connection, Subject } from '../subjects/subject.ts';
import { Unavailable, unavailableBecause } from '../subjects/unavailable.ts';
import type { BlockTimes } from './block-times.ts';

/** Reads made on a fresh connection before its block is timed: connecting is a scenario of its own. */
const FIRST_READS = 3;
/** Time for the close frames to pass, so that they are not part of the next block. */
const SETTLE_MS = 1;

/** Far more than any block takes, so that only a call that never settles exceeds it. */
const TIMEOUT_MS = 30_000;

/** Runs around the timed part of a block, outside of the time. */
export interface Around {
  before(): void | Promise<void>;
  after(): void | Promise<void>;
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
  { around, timeoutMs = TIMEOUT_MS }: { around?: Around; timeoutMs?: number } = {},
): Promise<BlockTimes> {
  const hang = subject.mayHang?.scenarios.test(scenario.name) ? subject.mayHang : undefined;
  let connection: Connection | undefined;
  const work = async () => {
    if (subject.runBlock) return subject.runBlock(scenario.name, url, instance);
    const connect = () => subject.connect(url, instance);
    connection = await connect();
    const connectAs = subject.connectAs && ((token: string) => subject.connectAs!(url, instance, token));
    return measureOn({ connection, connect, connectAs }, scenario, around);
  };
  try {
    return await within(hang?.afterMs ?? timeoutMs, work());
  } catch (cause) {
    if (hang && cause instanceof NoEnd) throw new Unavailable(`${cause.message}, because ${hang.because}`);
    const unavailable = unavailableBecause(cause);
    if (unavailable !== undefined) throw new Unavailable(unavailable);
    throw new Error(`${scenario.name}, ${subject.name}: ${String(cause)}`, { cause });
  } finally {
    connection?.close();
    await delay(SETTLE_MS);
  }
}

async function measureOn(bench: Bench, scenario: Scenario, around: Around | undefined): Promise<BlockTimes> {
  const { connection } = bench;
  // One write first: the object's tables are made by it, and not by the first call that is timed.
  await connection.increment();
  await connection.reset();
  for (let i = 0; i < FIRST_READS; i++) expectAnswer('getValue after reset', await connection.getValue(), 0);
  await around?.before();
  const samplesMs: number[] = [];
  const totalMs = await scenario.measure(bench, samplesMs);
  await around?.after();
  expectAnswer('getValue after the block', await connection.getValue(), scenario.increments);
  return { totalMs, samplesMs };
}

class NoEnd extends Error {}

async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoEnd(`no end after ${timeoutMs} ms: a call has not settled`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
