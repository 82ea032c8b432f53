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

/** How a block is run. */
export interface BlockOptions {
  readonly around?: Around | undefined;
  /** @default 30 s */
  readonly timeoutMs?: number | undefined;
  /** Where the same server is reached past an emulated link, by what is not timed. */
  readonly directUrl?: string | undefined;
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
  { around, timeoutMs = TIMEOUT_MS, directUrl }: BlockOptions = {},
): Promise<BlockTimes> {
  const hang = subject.mayHang?.scenarios.test(scenario.name) ? subject.mayHang : undefined;
  const open: Connection[] = [];
  const work = async () => {
    if (subject.runBlock) return subject.runBlock(scenario.name, url, instance);
    const opened = async (at: string) => {
      const connection = await subject.connect(at, instance);
      open.push(connection);
      return connection;
    };
    const aside = directUrl === undefined ? undefined : await opened(directUrl);
    // Connections that are timed are opened by the scenario.
    const connection = aside && scenario.sample === 'connection' ? aside : await opened(url);
    const bench = {
      connection,
      connect: () => subject.connect(url, instance),
      connectAs: subject.connectAs && ((token: string) => subject.connectAs!(url, instance, token)),
    };
    return measureOn(bench, aside ?? connection, scenario, around);
  };
  try {
    return await within(hang?.afterMs ?? timeoutMs, work());
  } catch (cause) {
    if (hang && cause instanceof NoEnd) throw new Unavailable(`${cause.message}, because ${hang.because}`);
    const unavailable = unavailableBecause(cause);
    if (unavailable !== undefined) throw new Unavailable(unavailable);
    throw new Error(`${scenario.name}, ${subject.name}: ${String(cause)}`, { cause });
  } finally {
    for (const connection of open) connection.close();
    await delay(SETTLE_MS);
  }
}

/** Measures on `bench`; `aside` is its connection, or another to the same object for what is not timed. */
async function measureOn(
  bench: Bench,
  aside: Connection,
  scenario: Scenario,
  around: Around | undefined,
): Promise<BlockTimes> {
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
