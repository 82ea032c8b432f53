import { Bench as Tinybench } from 'tinybench';
import type { CodecName } from '../codecs/codec.ts';
import type { Bench, Operation } from './bench.ts';

/** One codec's work on one payload, `count` operations a sample. */
export interface Work {
  readonly payload: string;
  readonly codec: CodecName;
  readonly operation: Operation;
  readonly count: number;
}

/** Samples work for `blockMs`, at least once, and returns the times of one operation in ms, a mean for each sample. */
export async function runBlock(bench: Bench, work: Work, blockMs: number): Promise<readonly number[]> {
  const { payload, codec, operation, count } = work;
  const tinybench = new Tinybench({ warmup: false, iterations: 1, time: blockMs, retainSamples: true, throws: true });
  const sampled = (ms: number) => ({ overriddenDuration: ms / count, overriddenIterationCost: ms });
  // Awaiting costs a sample nothing: its time is taken inside.
  tinybench.add(operation, async () => sampled(await bench.time(payload, codec, operation, count)), { async: true });
  const [task] = await tinybench.run();
  if (task.result.state !== 'completed') throw new Error(`${payload}, ${codec}: ${task.result.state}`);
  return task.result.latency.samples!;
}
