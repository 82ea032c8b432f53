import type { ServedWorker } from '../support/workerd.ts';
import { Attacker } from './attacker.ts';
import { Bystander, type Seen } from './bystander.ts';
import { mutatedFrames } from './mutated-frames.ts';
import { VICTIM_PATH } from './paths.ts';
import { type Memory, settledMemory } from './serve.ts';

const ATTACKERS = 32;
const TICK_MS = 5;
/** Frames that are made before the storm begins; a longer one sends them again, in another order, to other sockets. */
const MADE = 200_000;

/** What happened in a tenth of a storm. */
export interface Tenth extends Seen {
  /** Frames a second, as they reached the object. */
  rate: number;
  residentBytes: number;
}

export interface Storm {
  seed: number;
  /** Mutated frames that reached the object. */
  frames: number;
  seconds: number;
  begin: Memory;
  tenths: Tenth[];
  /** After everybody has left, and garbage was collected. */
  end: Memory;
  closes: Record<number, number>;
}

export interface StormOptions {
  seconds: number;
  /** Frames to send in a second, as far as the server takes them. */
  rate: number;
  seed: number;
  /** Frames that are to reach the object: on a machine that is slow it takes more than ten tenths. @default 0 */
  atLeast?: number;
  onTenth?: (tenth: Tenth) => void;
}

/** Sends mutated frames over many sockets, which are opened anew as they are closed, beside a client that behaves. */
export async function storm(worker: ServedWorker, options: StormOptions): Promise<Storm> {
  const { seconds, rate, seed, atLeast = 0, onTenth } = options;
  const frames = mutatedFrames(Math.min(MADE, seconds * rate), seed);
  await using bystander = await Bystander.start(worker.url(VICTIM_PATH));
  const begin = await settledMemory(worker);
  const attackers = Array.from({ length: ATTACKERS }, () => new Attacker(worker.url(VICTIM_PATH)));
  const tenths: Tenth[] = [];
  const start = performance.now();
  let before = { received: (await bystander.seen()).received, time: start };
  let sent = 0;
  let arrived = 0;

  for (let tenth = 1; tenth <= 10 || arrived < atLeast; tenth++) {
    const end = start + (tenth * seconds * 1000) / 10;
    for (let now = performance.now(); now < end; now = performance.now()) {
      // Counted from the start, so that a pause is made up for.
      const due = Math.floor(((now - start) / 1000) * rate);
      const ready = attackers.filter(({ isReady }) => isReady);
      for (let n = 0; sent < due && ready.length > 0; n++) {
        const attacker = ready[n % ready.length];
        if (attacker.isReady) attacker.send(frames[sent++ % frames.length]);
        else ready.splice(n % ready.length, 1);
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    const seen = await bystander.seen();
    const time = performance.now();
    // The bystander's calls are frames too, and so are the answers to its server's calls.
    const reached = seen.received - before.received - seen.calls - Math.floor(seen.calls / 6) - 1;
    const report = {
      ...seen,
      rate: (reached / (time - before.time)) * 1000,
      residentBytes: await worker.residentBytes(),
    };
    arrived += reached;
    before = { received: seen.received, time };
    tenths.push(report);
    onTenth?.(report);
  }

  const closes: Record<number, number> = {};
  for (const attacker of attackers) {
    for (const [code, count] of attacker.closes) closes[code] = (closes[code] ?? 0) + count;
    attacker.end();
  }
  const elapsed = (performance.now() - start) / 1000;
  await bystander.seen();
  return {
    seed,
    frames: arrived,
    seconds: elapsed,
    begin,
    tenths,
    end: await settledMemory(worker),
    closes,
  };
}
