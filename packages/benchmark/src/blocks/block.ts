import { openAudience } from '../scenarios/events.ts';
import { delay, expectAnswer, type Scenario } from '../scenarios/scenario.ts';
import { type BlockTimes, type Subject, Unavailable, unavailableBecause } from '../subjects/subject.ts';

/** Much longer than any block takes, so that only a call that never settles exceeds it. */
const TIMEOUT_MS = 30_000;
/** The number of reads on a connection before its block is timed. Connecting is a scenario of its own. */
const FIRST_READS = 3;
/** The time for the close frames to pass, so that they are not part of the next block. */
const SETTLE_MS = 1;
const SETTLE_MS_PER_SUBSCRIBER = 0.2;

/** A bench that can be used for several blocks until it is closed. */
export type OpenBench = Awaited<ReturnType<typeof openBench>>;

/** Connects to an object, with the audience of the scenario if it has one. */
export async function openBench(
  { audience: size, sample }: Pick<Scenario, 'audience' | 'sample'>,
  subject: Subject,
  { url, directUrl, instance }: { url: string; instance: string } & Pick<BlockOptions, 'directUrl'>,
) {
  const open: { close(): void }[] = [];
  const opened = <Each extends { close(): void }>(each: Each) => {
    open.push(each);
    return each;
  };
  const connect = (token?: string) => subject.connect(url, instance, token);
  const close = async () => {
    for (const each of open) each.close();
    await delay(SETTLE_MS + SETTLE_MS_PER_SUBSCRIBER * (size ?? 0));
  };
  try {
    const past = directUrl === undefined ? undefined : opened(await subject.connect(directUrl, instance));
    // The scenario opens the connections that are timed.
    const connection = past && sample === 'connection' ? past : opened(await connect());
    const audience = size === undefined ? undefined : opened(await openAudience(size, connection, () => connect()));
    return {
      ...{ connection, connect, audience },
      /** Its connection, or another one to the same object for untimed work. */
      aside: past ?? connection,
      /** Closes all of its connections, and waits until they are closed. */
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Options for running a block. */
export interface BlockOptions {
  /** Runs before and after the timed part of a block, untimed. */
  readonly beside?: (() => Promise<void>) | undefined;
  /** The time limit of the block. @default 30 s */
  readonly timeoutMs?: number | undefined;
  /** The URL of the same server without the emulated link, for untimed work. */
  readonly directUrl?: string | undefined;
  /** The bench to use, which stays open. @default a new one */
  readonly bench?: OpenBench | undefined;
}

/**
 * Runs one block of `scenario` on a new connection to the object called `instance`, and returns its times. The counter
 * is set to 0 first, and must have the scenario's value afterwards. Rejects with an error, a wrong answer or a missing
 * answer. Rejects with `Unavailable` if the subject does not support the scenario.
 */
export async function runBlock(
  scenario: Scenario,
  subject: Subject,
  url: string,
  instance: string,
  { beside, timeoutMs, directUrl, bench }: BlockOptions = {},
): Promise<BlockTimes> {
  let opened: OpenBench | undefined;
  const work = async () => {
    if (subject.runBlock) return subject.runBlock(scenario.name, url, instance);
    if (bench === undefined) opened = await openBench(scenario, subject, { url, directUrl, instance });
    return measureOn(bench ?? opened!, scenario, beside);
  };
  try {
    return await attempt(scenario, subject, work(), timeoutMs);
  } finally {
    await opened?.close();
  }
}

async function measureOn(bench: OpenBench, scenario: Scenario, beside?: () => Promise<void>): Promise<BlockTimes> {
  // The first write creates the object's tables, so that the first timed call does not.
  await bench.aside.work.increment();
  await bench.aside.work.reset();
  for (let i = 0; i < FIRST_READS; i++) expectAnswer('getValue after reset', await bench.aside.work.getValue(), 0);
  // The socket is open after this, even if the subject opens it only with the first call.
  if (bench.aside !== bench.connection) expectAnswer('the first getValue', await bench.connection.work.getValue(), 0);
  await beside?.();
  const samplesMs: number[] = [];
  const totalMs = await scenario.measure(bench, samplesMs);
  await beside?.();
  expectAnswer('getValue after the block', await bench.aside.work.getValue(), scenario.increments);
  return { totalMs, samplesMs };
}

/**
 * Runs a part of a subject's work for `scenario`. Rejects with an error that names both, also if the work does not end.
 * Rejects with `Unavailable` if the subject does not support it.
 */
export async function attempt<Outcome>(
  scenario: Scenario,
  subject: Subject,
  work: Promise<Outcome>,
  timeoutMs: number = TIMEOUT_MS,
): Promise<Outcome> {
  const hang = subject.mayHang?.scenarios.test(scenario.name) ? subject.mayHang : undefined;
  try {
    return await within(hang?.afterMs ?? timeoutMs, work);
  } catch (cause) {
    if (hang && cause instanceof NoEnd) throw new Unavailable(`${cause.message}, because ${hang.because}`);
    const unavailable = unavailableBecause(cause);
    if (unavailable !== undefined) throw new Unavailable(unavailable);
    throw new Error(`${scenario.name}, ${subject.name}: ${String(cause)}`, { cause });
  }
}

/** Returns the result of `work`. If it is unavailable, calls `note` and returns undefined. */
export async function unlessUnavailable<Outcome>(
  work: Promise<Outcome>,
  note: (reason: string) => void,
): Promise<Outcome | undefined> {
  try {
    return await work;
  } catch (error) {
    if (!(error instanceof Unavailable)) throw error;
    note(error.message);
    return undefined;
  }
}

class NoEnd extends Error {}

/** Resolves with the result of `work`. Rejects if it takes longer than `timeoutMs`. */
export async function within<T>(timeoutMs: number, work: Promise<T>): Promise<T> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new NoEnd(`no end after ${timeoutMs} ms: a call has not settled`)), timeoutMs);
  try {
    return await Promise.race([work, late]);
  } finally {
    clearTimeout(timer);
  }
}
