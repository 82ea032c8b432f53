// The tasks of a launch's process: it runs codecs, itself or in a Worker, and measures the times.

import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { median } from 'simple-statistics';
import { openJsonSocket } from '../engine/json-socket.ts';
import type { Report, ScenarioPlan } from '../engine/plan.ts';
import { type Bench, LocalBench, type Work } from './bench.ts';
import { type Measuring, measurePayload, type PayloadReport } from './measure-payload.ts';

/** The number of empty requests that are kept. Their median is the time to send a request and an answer. */
const EMPTY_KEPT = 15;
/**
 * The minimum time of a block. If a block is so short that it disappears in the noise, this avoids a division by zero.
 */
const LEAST_MS = 0.001;

/** A request to measure payloads. */
export interface CodecsAsked {
  /** The URL of the Worker. Without it, the process measures itself. */
  readonly url: string | undefined;
  readonly seed: number;
  readonly payloads: readonly ScenarioPlan[];
  readonly measuring: Measuring;
}

/** Measures payloads. The seed determines their order. */
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
  };
}

/**
 * Returns a bench that runs codecs in the Worker at `url`, over a socket. The time is measured here: that of the whole
 * request minus that of an empty request. In workerd the clock advances while a Worker computes (in production it
 * stands still until the next event), but only in whole milliseconds, which is too coarse for blocks of a few. An empty
 * request takes 0.1 ms with an error of 0.02, so a block of 2 ms is accurate to about 1 %.
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
      // Sends the same request without work just before. This also wakes both event loops.
      emptyMs.push(await timed({ ...work, count: 0 }));
      if (emptyMs.length > EMPTY_KEPT) emptyMs.shift();
      return Math.max(LEAST_MS, (await timed(work)) - median(emptyMs));
    },
  };
}
