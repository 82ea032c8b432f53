import type { Random } from '@lumenize/hosts/random';
import { median } from 'simple-statistics';
import { codecNamed } from '../codecs/all.ts';
import type { CodecName } from '../codecs/codec.ts';
import { schedule, type Turn } from '../load/schedule.ts';
import type { Bench, Operation } from './bench.ts';
import { runBlock } from './block.ts';
import type { Carried, Durations, PayloadPlan, PayloadReport, ValuesBlock } from './plan.ts';
import { type Warm, warmUp } from './warm-up.ts';

/** How a payload is measured, of which a launch's plan is one. */
export interface Measuring {
  readonly durations: Durations;
  readonly limitMs: number;
  readonly sizes: boolean;
}

/**
 * Measures one payload: finds out which codecs carry it, warms those up, times them in turn and makes sure that they
 * still carry it. The payload is forgotten then, because whatever is kept is work for the collector of the garbage of
 * the next. Rejects when a codec has begun to give wrong values back: it has been measured at something else.
 */
export async function measurePayload(
  bench: Bench,
  plan: PayloadPlan,
  { durations, limitMs, sizes }: Measuring,
  random: Random,
  onProgress: (blocks: number) => void,
): Promise<PayloadReport> {
  const payload = plan.scenario;
  const carried = await verify(bench, plan, sizes);
  const able = carried.filter(({ cannot }) => cannot === undefined).map(({ codec }) => codec);
  const arms = plan.arms.filter(({ subject }) => able.includes(subject));

  const warm = await warmUp(bench, payload, able, durations.warmUpMs);
  const counts = new Map(able.map((codec) => [codec, countFor(warm.get(codec)!, durations)]));
  const begun = performance.now();
  const blocks: ValuesBlock[] = [];
  let round = 0;
  for (const turn of schedule([{ ...plan, arms }], random)) {
    // A round is finished once it has begun: half of one compares nothing.
    if (turn.round !== round && performance.now() - begun > limitMs) break;
    round = turn.round;
    blocks.push(await runTurn(bench, turn, counts.get(turn.arm.subject)!, durations));
    onProgress(blocks.length);
  }

  for (const { codec, cannot } of await verify(bench, { ...plan, arms }, false)) {
    if (cannot !== undefined) throw new Error(`${codec} no longer carries ${payload}: ${cannot}`);
  }
  await bench.forget(payload);
  const unsteady = able.filter((codec) => !warm.get(codec)!.steady);
  return { payload, carried, unsteady, counts: Object.fromEntries(counts), blocks };
}

async function verify(bench: Bench, { scenario, arms }: PayloadPlan, sizes: boolean): Promise<Carried[]> {
  const carried: Carried[] = [];
  for (const codec of new Set(arms.map(({ subject }) => subject))) {
    carried.push({ codec, ...(await bench.verify(scenario, codec, sizes)) });
  }
  return carried;
}

async function runTurn(
  bench: Bench,
  { scenario, arm, round, pass }: Turn<CodecName>,
  count: number,
  { bothMs, partMs }: Durations,
): Promise<ValuesBlock> {
  const work = { payload: scenario, codec: arm.subject, count };
  const samplesMs: Partial<Record<Operation, readonly number[]>> = {};
  const sample = async (operation: Operation, ms: number) => {
    samplesMs[operation] = await runBlock(bench, { ...work, operation }, ms);
  };
  await sample('both', bothMs);
  // The halves are not compared, so that one pass of each round is enough for them.
  if (pass === 0 && !codecNamed(arm.subject).oneStep) {
    await sample('encode', partMs);
    await sample('decode', partMs);
  }
  return { scenario, arm: arm.id, round, pass, totalMs: median([...samplesMs.both!]), samplesMs };
}

function countFor({ operationMs }: Warm, { sampleMs }: Durations): number {
  return Math.max(1, Math.round(sampleMs / operationMs));
}
