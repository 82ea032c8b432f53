import { type Statistics, Bench as Tinybench } from 'tinybench';
import type { Bench, Work } from './bench.ts';

/**
 * Has tinybench sample work for `forMs`, at least `iterations` times, and returns its statistics of one operation in ms. A sample is
 * the mean of as many operations as the work has; a function returns the work of the next sample.
 *
 * The durations are those of the bench. A Worker cannot take them: its clock advances in whole milliseconds, and in
 * production not at all while it computes. So tinybench runs in the process that asks, and is told how long each sample
 * took; its own clock would include the request.
 */
export async function sampled(
  bench: Pick<Bench, 'time'>,
  work: Work | (() => Work),
  forMs: number,
  iterations = 1,
): Promise<Statistics> {
  const tinybench = new Tinybench({ time: forMs, iterations, warmup: false, retainSamples: true, throws: true });
  const sample = async () => {
    const asked = typeof work === 'function' ? work() : work;
    const elapsedMs = await bench.time(asked);
    return { overriddenDuration: elapsedMs / asked.count, overriddenIterationCost: elapsedMs };
  };
  // Otherwise tinybench would call it once to see whether it is asynchronous.
  const [task] = tinybench.add('', sample, { async: true }).tasks;
  const { result } = await task.run();
  if (result.state !== 'completed') throw new Error(`sampling ended as ${result.state}`);
  return result.latency;
}
