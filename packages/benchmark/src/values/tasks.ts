// What the process of one launch can be asked: it makes codecs work, itself or in a Worker, and takes the times.

import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { median } from 'simple-statistics';
import { openJsonSocket } from '../engine/json-socket.ts';
import type { Report, ScenarioPlan } from '../engine/plan.ts';
import { type Bench, LocalBench, type Work } from './bench.ts';
import { type Measuring, measurePayload, type PayloadReport } from './measure-payload.ts';

/** Requests that do nothing, of which the median is what asking and answering take. */
const EMPTY_KEPT = 15;
/** A block cannot have taken less than this; one so short that it disappears in the noise would divide by zero. */
const LEAST_MS = 0.001;

/** Asks for payloads to be measured. */
export interface CodecsAsked {
  /** Address of the Worker; without it the process measures what it does itself. */
  readonly url: string | undefined;
  readonly seed: number;
  readonly payloads: readonly ScenarioPlan[];
  readonly measuring: Measuring;
}

/** Measures payloads, in another order with another seed. */
export async function codecs({ url, seed, payloads, measuring }: CodecsAsked): Promise<Report> {
  const bench = url === undefined ? new LocalBench() : await remoteBench(url);
  await bench.check();
  const random = seededRandom(seed);
  const found: PayloadReport[] = [];
  for (const plan of shuffled(payloads, random)) found.push(await measurePayload(bench, plan, measuring, random));
  return {
    blocks: found.flatMap(({ blocks }) => blocks),
    figures: found.flatMap(({ figures }) => figures),
    cannot: found.flatMap(({ cannot }) => cannot),
    warmUps: found.flatMap(({ warmUps }) => warmUps),
  };
}

/**
 * Makes codecs work in the Worker at `url`, over a socket. It takes the time here, of the whole request less that of one that
 * does nothing: in workerd the clock does go on while a Worker computes (production's stands still until the next event), but
 * in whole milliseconds, which are too coarse for blocks of a few. Against a request of 0.1 ms give or take 0.02, a block
 * of 2 ms is exact to about 1 %.
 */
async function remoteBench(url: string): Promise<Bench> {
  const ask = await openJsonSocket(url.replace(/^http/, 'ws'));
  const method = (method: keyof Bench) => (asked?: unknown) => ask({ method, asked }) as Promise<never>;
  const emptyMs: number[] = [];
  const timed = async (asked: Work) => {
    const begun = performance.now();
    await ask({ method: 'time', asked });
    return performance.now() - begun;
  };
  return {
    ...{ check: method('check'), verify: method('verify'), forget: method('forget') },
    async time(work) {
      // The same request with nothing to do, just before: it also wakes both event loops.
      emptyMs.push(await timed({ ...work, count: 0 }));
      if (emptyMs.length > EMPTY_KEPT) emptyMs.shift();
      return Math.max(LEAST_MS, (await timed(work)) - median(emptyMs));
    },
  };
}
