import { delay } from '../delay.ts';
import type { FrameCounts } from '../load/plan.ts';
import type { Subject } from '../subjects/subject.ts';
import { Relay, type Relayed } from './relay.ts';
import type { Sample, Workload } from './workloads.ts';

/** What one sample costs on the wire; bytes are those of WebSocket frames, with their headers. */
export interface Wire extends FrameCounts {
  /** Those of frames up to the last answer's, without what the client sends after it. */
  readonly answeredBytesUp: number;
  readonly answeredBytesDown: number;
  /** How often the link is crossed there and back before the answer is there; of operations that are modelled. */
  readonly roundTrips: number | undefined;
}

/** Of which the quickest counts, with and without delay; a sample of one round trip ends the search. */
const DIRECT_SAMPLES = 6;
const DELAYED_SAMPLES = 12;
/** Time for frames that a library sends after an answer, such as the release of a result. */
const AFTERMATH_MS = 20;
/** Each way, far above what the times of the same calls differ by. */
const DELAY_MS = 50;

/** Counts frames, bytes and round trips of a sample of `workload` through relays, on objects of its own. */
export async function countWire(workload: Workload, subject: Subject, url: string, instance: string): Promise<Wire> {
  const [last, roundTrips] = await Promise.all([
    countBytes(workload, subject, url, `${instance}-counted`),
    workload.modelled ? countRoundTrips(workload, subject, url, instance) : undefined,
  ]);
  return {
    framesUp: last.all.up.frames,
    framesDown: last.all.down.frames,
    bytesUp: last.all.up.bytes,
    bytesDown: last.all.down.bytes,
    answeredBytesUp: last.answered.up.bytes,
    answeredBytesDown: last.answered.down.bytes,
    roundTrips,
  };
}

/** Counts one sample, once as it goes on after the answer, once up to the answer. */
async function countBytes(
  workload: Workload,
  subject: Subject,
  url: string,
  instance: string,
): Promise<{ all: Relayed; answered: Relayed }> {
  const relay = await Relay.open(url);
  return withSamples(workload, subject, relay, instance, async (sample) => {
    const before = relay.passed;
    await sample();
    const answered = difference(before, relay.passedAtLastDown);
    await delay(AFTERMATH_MS);
    return { all: difference(before, relay.passed), answered };
  });
}

/** From the difference that a delay makes, so that what the operation itself takes does not count. */
async function countRoundTrips(workload: Workload, subject: Subject, url: string, instance: string): Promise<number> {
  const direct = await Relay.open(url);
  const leastMs = await withSamples(workload, subject, direct, `${instance}-direct`, async (sample) => {
    const timesMs: number[] = [];
    for (let i = 0; i < DIRECT_SAMPLES; i++) timesMs.push(await sample());
    return Math.min(...timesMs);
  });
  const slow = await Relay.open(url, DELAY_MS);
  return withSamples(workload, subject, slow, `${instance}-slow`, async (sample) => {
    let fewest = Number.POSITIVE_INFINITY;
    // An operation that was held up looks like one of more round trips; none has less than one.
    for (let i = 0; i < DELAYED_SAMPLES && fewest > 1; i++) {
      const count = Math.round(((await sample()) - leastMs) / (2 * DELAY_MS));
      fewest = Math.min(fewest, Math.max(1, count));
    }
    return fewest;
  });
}

async function withSamples<Result>(
  workload: Workload,
  subject: Subject,
  relay: Relay,
  instance: string,
  use: (sample: Sample) => Promise<Result>,
): Promise<Result> {
  const connect = () => subject.connect(relay.url, instance);
  const connection = await connect();
  try {
    const sample = workload.begin(connection, connect);
    // Twice: the first call of a connection tells more than those after it.
    await sample();
    await sample();
    await delay(AFTERMATH_MS);
    return await use(sample);
  } finally {
    connection.close();
    relay.close();
  }
}

function difference(before: Relayed, after: Relayed): Relayed {
  const of = (way: 'up' | 'down') => ({
    frames: after[way].frames - before[way].frames,
    bytes: after[way].bytes - before[way].bytes,
  });
  return { up: of('up'), down: of('down') };
}
