import type { Random } from '@lumenize/hosts/random';
import { median, quantile } from 'simple-statistics';
import type { Block, Figure, Report, ScenarioPlan, WarmUp } from '../engine/plan.ts';
import { schedule } from '../engine/schedule.ts';
import { isSteady } from '../statistics/summary.ts';
import type { Bench, Operation, Verification, Work } from './bench.ts';
import { codecNamed } from './codecs.ts';

/** Options for measuring a payload; with durations of 0 everything is done once. */
export interface Measuring {
  /** A sample: operations of codecs that need less are timed many at a time. */
  readonly sampleMs: number;
  /** A block of encoding and decoding, and one of either alone. */
  readonly bothMs: number;
  readonly partMs: number;
  /** The most that one codec with one payload is warmed up. */
  readonly warmUpMs: number;
  /** No round of a payload but its first is begun later than this after that. */
  readonly limitMs: number;
}

/** The findings of one launch about a payload; `warmUps` are those of codecs that were still getting faster at their end. */
export type PayloadReport = Required<Pick<Report, 'blocks' | 'figures' | 'cannot' | 'warmUps'>>;

/** Blocks of warming up are long enough to be told from the clock's own noise, short enough for several of them. */
const WARM_UP_BLOCK_MS = 2;
/** The first is a single operation, and nothing is compiled yet: how many fit is found in steps. */
const MOST_GROWTH = 8;
const US_PER_MS = 1000;

/**
 * Measures one payload, whose name is that of the scenario, with codecs, which are the subjects: finds out which codecs carry it, warms those up, times them in turn and makes sure that they
 * still carry it. The payload is forgotten then, because whatever is kept is work for the collector of the garbage of
 * the next. Rejects when a codec has begun to give wrong values back: it has been measured at something else.
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
  const warm = await warmUp(bench, payload, able, warmUpMs);
  const countOf = (codec: string) => Math.max(1, Math.round(sampleMs / warm.get(codec)!.operationMs));

  const blocks: Block[] = [];
  const found = new Map(able.map((codec) => [codec, { both: [], encode: [], decode: [] } as Samples]));
  const begun = performance.now();
  let last = 0;
  const arms = plan.arms.filter(({ subject }) => found.has(subject));
  for (const { arm, round, pass } of schedule([{ ...plan, arms }], random)) {
    // A round is finished once it has begun: half of one compares nothing.
    if (round !== last && performance.now() - begun > limitMs) break;
    last = round;
    const { id, subject: codec } = arm;
    const sample = async (operation: Operation, ms: number) => {
      const samplesMs = await runBlock(bench, { payload, codec, operation, count: countOf(codec) }, ms);
      // The A/A arm is compared, and has no figures.
      if (id === codec) found.get(codec)![operation].push(...samplesMs);
      return samplesMs;
    };
    // The median: on a machine that others use too, one pause would be most of the mean of a few ms.
    const totalMs = median(await sample('both', bothMs));
    // The halves are not compared, so that one pass of each round is enough for them.
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
      const detail = { operationsPerSample: countOf(arm), ...(bytes !== undefined && { bytes }) };
      return { scenario: payload, arm, unit: 'us', ...timesOf(samples, detail) };
    }),
    cannot,
    warmUps: [...warm.values()].flatMap(({ operationMs, ...each }) => (each.steady ? [] : [each])),
  };
}

type Samples = Record<Operation, number[]>;

/** The median of one operation, both halves together, in µs; samples may be means of several. */
function timesOf({ both, encode, decode }: Samples, more: Figure['detail']): Pick<Figure, 'value' | 'detail'> {
  const us = (samplesMs: readonly number[], p = 0.5) => US_PER_MS * quantile([...samplesMs], p);
  const halves = encode.length > 0 && { encodeUs: us(encode), decodeUs: us(decode) };
  return { value: us(both), detail: { p95Us: us(both, 0.95), ...more, ...halves } };
}

/** Samples work for `blockMs`, at least once, and returns the times of one operation in ms, a mean for each sample. */
export async function runBlock(bench: Bench, work: Work, blockMs: number): Promise<readonly number[]> {
  const samplesMs: number[] = [];
  let spentMs = 0;
  do {
    const elapsedMs = await bench.time(work);
    spentMs += elapsedMs;
    samplesMs.push(elapsedMs / work.count);
  } while (spentMs < blockMs);
  return samplesMs;
}

/** Lets codecs work on a payload in turn, until each is steady or has had `limitMs`. */
export async function warmUp(
  bench: Bench,
  payload: string,
  codecs: readonly string[],
  limitMs: number,
): Promise<Map<string, WarmUp & { readonly operationMs: number }>> {
  const states = codecs.map((codec) => ({ codec, count: 1, spentMs: 0, operationsMs: [] as number[], steady: false }));
  let open = states;
  while (open.length > 0) {
    for (const state of open) {
      const elapsedMs = await bench.time({ payload, codec: state.codec, operation: 'both', count: state.count });
      const operationMs = elapsedMs / state.count;
      state.spentMs += elapsedMs;
      // Blocks of a few operations, before there are enough of them to fill one, say nothing of steadiness.
      if (elapsedMs > WARM_UP_BLOCK_MS / 2) state.operationsMs.push(operationMs);
      state.steady = isSteady(state.operationsMs);
      const wanted = Math.round(WARM_UP_BLOCK_MS / operationMs);
      state.count = Math.max(1, Math.min(wanted, state.count * MOST_GROWTH));
    }
    open = open.filter(({ spentMs, steady }) => !steady && spentMs < limitMs);
  }
  return new Map(
    states.map(({ codec, operationsMs, spentMs, steady }) => {
      const operationMs = operationsMs.length > 0 ? Math.min(...operationsMs) : spentMs;
      const found = { arm: `${payload}/${codec}`, blocks: operationsMs.length, ms: spentMs, steady, operationMs };
      return [codec, found] as const;
    }),
  );
}
