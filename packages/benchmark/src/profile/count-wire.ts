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
  /** How often an answer had to be there before the next frame could be sent, and the last one. */
  readonly roundTrips: number;
}

/** Of which the quickest counts. */
const SAMPLES = 2;
/** Time for frames that a library sends after an answer, such as the release of a result. */
const AFTERMATH_MS = 20;
/** Each way, far above what the times of the same calls differ by. */
const DELAY_MS = 40;

/** Counts frames, bytes and round trips of a sample of `workload` through relays, on objects of its own. */
export async function countWire(workload: Workload, subject: Subject, url: string, instance: string): Promise<Wire> {
  const [last, roundTrips] = await Promise.all([
    countBytes(workload, subject, url, `${instance}-counted`),
    countRoundTrips(workload, subject, url, `${instance}-delayed`),
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
  const leastMs = async (delayMs: number) => {
    const relay = await Relay.open(url, delayMs);
    return withSamples(workload, subject, relay, `${instance}-${delayMs}`, async (sample) => {
      const timesMs: number[] = [];
      for (let i = 0; i < SAMPLES; i++) timesMs.push(await sample());
      return Math.min(...timesMs);
    });
  };
  const [slow, quick] = [await leastMs(DELAY_MS), await leastMs(0)];
  return Math.max(1, Math.round((slow - quick) / (2 * DELAY_MS)));
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
