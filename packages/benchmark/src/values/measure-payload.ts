import type { Random } from '@lumenize/hosts/random';
import { quantile } from 'simple-statistics';
import type { Block, Figure, Report, ScenarioPlan } from '../engine/plan.ts';
import { schedule } from '../engine/schedule.ts';
import type { Bench, Operation, Verification } from './bench.ts';
import { codecNamed } from './codecs.ts';
import { sampled } from './sampled.ts';

/** Options for measuring a payload. With durations of 0, everything is done once. */
export interface Measuring {
  /** The duration of a sample. Operations of faster codecs are timed many at a time. */
  readonly sampleMs: number;
  /** The duration of a block of encoding and decoding. `partMs` is that of a block of either alone. */
  readonly bothMs: number;
  readonly partMs: number;
  /** The time to warm up one codec with one payload. */
  readonly warmUpMs: number;
  /** The time after which no further round of a payload is begun, except the first. */
  readonly limitMs: number;
}

/** The findings of one launch about a payload. */
export type PayloadReport = Required<Pick<Report, 'blocks' | 'figures' | 'cannot'>>;

/**
 * The first sample is a single operation, and nothing is compiled yet. So the number of operations that fit is found in
 * steps.
 */
const MOST_GROWTH = 8;
/** The number of samples in which it is found, also if the first of them takes as long as the whole warm-up. */
const LEAST_SAMPLES = 10;
const US_PER_MS = 1000;

/**
 * Measures one payload with codecs. The name of the payload is that of the scenario, and the codecs are the subjects.
 * It finds out which codecs support the payload, warms those up, times them in turn, and checks that they still support
 * it. Then it releases the payload, because the garbage collector would otherwise have more work during the next one.
 * Rejects if a codec has begun to return wrong values, because its times are then meaningless.
 */
export async function measurePayload(
  bench: Bench,
  plan: ScenarioPlan,
  { sampleMs, bothMs, partMs, warmUpMs, limitMs }: Measuring,
  random: Random,
): Promise<PayloadReport> {
  const payload = plan.scenario;
  const verify = async (codecs: Iterable<string>) => {
    const carried = new Map<string, Verification>();
    for (const codec of codecs) carried.set(codec, await bench.verify({ payload, codec }));
    const cannot = [...carried].flatMap(([arm, { cannot: reason }]) =>
      reason === undefined ? [] : [{ scenario: payload, arm, reason }],
    );
    return { carried, cannot };
  };
  const { carried, cannot } = await verify(new Set(plan.arms.map(({ subject }) => subject)));
  const able = [...carried.keys()].filter((codec) => !cannot.some(({ arm }) => arm === codec));
  const counts = new Map<string, number>();
  for (const codec of able) counts.set(codec, await warmUp(bench, payload, codec, { sampleMs, warmUpMs }));

  const blocks: Block[] = [];
  const found = new Map(able.map((codec) => [codec, { both: [], encode: [], decode: [] } as Samples]));
  const begun = performance.now();
  let last = 0;
  const arms = plan.arms.filter(({ subject }) => found.has(subject));
  for (const { arm, round, pass } of schedule([{ ...plan, arms }], random)) {
    // A round that has begun is finished, because half a round compares nothing.
    if (round !== last && performance.now() - begun > limitMs) break;
    last = round;
    const { id, subject: codec } = arm;
    const sample = async (operation: Operation, ms: number) => {
      const { p50, samples } = await sampled(bench, { payload, codec, operation, count: counts.get(codec)! }, ms);
      // The A/A arm is compared, but has no figures.
      if (id === codec) found.get(codec)![operation].push(...samples!);
      return p50;
    };
    // The median, because on a shared machine one pause would dominate the mean of a few ms.
    const totalMs = await sample('both', bothMs);
    // The parts are not compared, so one pass of each round is enough.
    if (pass === 0 && id === codec && !codecNamed(codec).oneStep) {
      await sample('encode', partMs);
      await sample('decode', partMs);
    }
    blocks.push({ scenario: payload, arm: id, round, pass, totalMs });
  }

  const [lost] = (await verify(able)).cannot;
  if (lost) throw new Error(`${lost.arm} no longer carries ${payload}: ${lost.reason}`);
  await bench.forget();
  return {
    blocks,
    figures: [...found].map(([arm, samples]) => {
      const { bytes } = carried.get(arm)!;
      const detail = { operationsPerSample: counts.get(arm)!, ...(bytes !== undefined && { bytes }) };
      return { scenario: payload, arm, unit: 'us', ...timesOf(samples, detail) };
    }),
    cannot,
  };
}

type Samples = Record<Operation, number[]>;

/** Returns the median of one operation (both parts together) in µs. Samples may be means of several operations. */
function timesOf({ both, encode, decode }: Samples, more: Figure['detail']): Pick<Figure, 'value' | 'detail'> {
  const us = (samplesMs: readonly number[], p = 0.5) => US_PER_MS * quantile([...samplesMs], p);
  const halves = encode.length > 0 && { encodeUs: us(encode), decodeUs: us(decode) };
  return { value: us(both), detail: { p95Us: us(both, 0.95), ...more, ...halves } };
}

/** Warms up a codec, and returns the number of operations that take as long as a sample. */
export async function warmUp(
  bench: Bench,
  payload: string,
  codec: string,
  { sampleMs, warmUpMs }: Pick<Measuring, 'sampleMs' | 'warmUpMs'>,
): Promise<number> {
  const countFor = (operationMs: number) => Math.max(1, Math.round(sampleMs / operationMs));
  let count = 1;
  let fastestMs = Number.POSITIVE_INFINITY;
  const growing: Pick<Bench, 'time'> = {
    async time(work) {
      const elapsedMs = await bench.time(work);
      const operationMs = elapsedMs / work.count;
      // Shorter samples are mostly noise of the clock, and longer ones may hold a pause.
      if (elapsedMs >= sampleMs / 2) fastestMs = Math.min(fastestMs, operationMs);
      count = Math.max(count, Math.min(countFor(operationMs), count * MOST_GROWTH));
      return elapsedMs;
    },
  };
  const work = () => ({ payload, codec, operation: 'both', count }) as const;
  const { p50 } = await sampled(growing, work, warmUpMs, sampleMs > 0 ? LEAST_SAMPLES : 1);
  return countFor(fastestMs < Number.POSITIVE_INFINITY ? fastestMs : p50);
}
