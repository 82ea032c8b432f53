import { setTimeout as delay } from 'node:timers/promises';
import { openRelay, type Relay, type Traffic } from '@lumenize/hosts/relay';
import type { Subject } from '../../subjects/subject.ts';
import { type RunBlock, running, type Workload } from './workloads.ts';

/** Of which the quickest counts, with and without delay: an operation that was held up looks like one of more round trips. */
const SAMPLES = 12;
/** Time for frames that a library sends after an answer, such as the release of a result. */
const AFTERMATH_MS = 20;
/** Each way, far above what the times of the same calls differ by. */
const DELAY_MS = 50;

/** Content of a TCP segment on Ethernet: 1500 bytes less headers. */
const SEGMENT_BYTES = 1448;
/** Headers of one: IPv4 20, TCP 20, timestamps 12. */
const SEGMENT_HEADER_BYTES = 52;

/**
 * Counts through relays, on objects of its own: what a call costs on the wire, and of operations that are modelled how
 * often the link is crossed there and back before the answer is there, and the bytes up to the answer, in segments.
 */
export async function countWire(
  workload: Workload,
  subject: Subject,
  url: string,
  instance: string,
): Promise<Readonly<Record<string, number>>> {
  /** Runs single turns through a relay that delays by so much, of a scenario that nothing else runs at the same time. */
  const through = async <Result>(
    delayMs: number,
    name: string,
    use: (turn: RunBlock, relay: Relay) => Promise<Result>,
  ) => {
    using relay = await openRelay(url, delayMs);
    return await running(workload.scenario(1), subject, relay.url, `${instance}-${name}`, async (turn) => {
      // Twice: the first call of a connection tells more than those after it.
      for (let i = 0; i < 2; i++) await turn();
      return use(turn, relay);
    });
  };
  const bytes = through(0, 'counted', async (turn, relay) => {
    let before = relay.passed();
    const since = ({ up, down }: Traffic) => ({ up: up - before.up, down: down - before.down });
    await turn(async () => {
      await delay(AFTERMATH_MS);
      before = relay.passed();
    });
    const answered = since(relay.passedAtLastDown());
    await delay(AFTERMATH_MS);
    return { answered, all: since(relay.passed()) };
  });
  // From the difference that a delay makes, so that what the operation itself takes does not count; none has less than one.
  const crossings = async () => {
    const directMs = await through(0, 'direct', (turn) => quickest(turn, 0));
    const slowMs = await through(DELAY_MS, 'slow', (turn) => quickest(turn, directMs + 3 * DELAY_MS));
    return Math.max(1, Math.round((slowMs - directMs) / (2 * DELAY_MS)));
  };
  const [{ all, answered }, roundTrips] = await Promise.all([bytes, workload.modelled ? crossings() : undefined]);
  const { operations } = workload.scenario(1);
  const perCall = { bytesUp: all.up / operations, bytesDown: all.down / operations };
  if (roundTrips === undefined) return perCall;
  return { ...perCall, roundTrips, answeredBytes: segmentedBytes(answered.up) + segmentedBytes(answered.down) };
}

/** Returns the least time of single turns, or the first that is less than `enoughMs`. */
async function quickest(turn: RunBlock, enoughMs: number): Promise<number> {
  let leastMs = Number.POSITIVE_INFINITY;
  for (let i = 0; i < SAMPLES && leastMs >= enoughMs; i++) leastMs = Math.min(leastMs, ...(await turn()));
  return leastMs;
}

/**
 * Returns the bytes that `content` bytes of one direction are in TCP segments. They are packed into as few segments as
 * they fit in, which favours whoever sends many small frames; acknowledgements are not counted.
 */
export function segmentedBytes(content: number): number {
  return content + Math.ceil(content / SEGMENT_BYTES) * SEGMENT_HEADER_BYTES;
}

/**
 * Models how long an operation takes over a link, in ms: `base × round trips + bytes × 8 / bandwidth + processing`. The
 * link is idle otherwise, loses nothing and has no slow start; what goes up does not overlap with what comes down.
 */
export function modelledMs(
  cost: { readonly roundTrips: number; readonly bytes: number; readonly processingUs: number },
  { baseMs, mbitPerSecond }: { readonly baseMs: number; readonly mbitPerSecond: number },
): number {
  return baseMs * cost.roundTrips + (cost.bytes * 8) / (mbitPerSecond * 1000) + cost.processingUs / 1000;
}
