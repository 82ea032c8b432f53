// The process of one launch: it makes codecs work, itself or in a Worker, and takes the times.
import '@transformation-dev/debug';
import { seededRandom, shuffled } from '@lumenize/hosts/random';
import { CODECS } from '../codecs/all.ts';
import { answerPlan } from '../load/answer-plan.ts';
import { plannedBlocks } from '../load/plan.ts';
import { LocalBench } from './local-bench.ts';
import { measurePayload } from './measure-payload.ts';
import { assertNoCodeGeneration } from './no-code-generation.ts';
import type { PayloadReport, ValuesPlan, ValuesReport } from './plan.ts';
import { RemoteBench } from './remote-bench.ts';

answerPlan(launch);

async function launch(plan: ValuesPlan, onProgress: (done: number) => void): Promise<ValuesReport> {
  const bench = plan.url === undefined ? localBench() : await RemoteBench.connect(plan.url);
  const random = seededRandom(plan.seed);
  const payloads: PayloadReport[] = [];
  let done = 0;
  for (const payload of shuffled(plan.payloads, random)) {
    payloads.push(await measurePayload(bench, payload, plan, random, (blocks) => onProgress(done + blocks)));
    done += plannedBlocks([payload]);
    onProgress(done);
  }
  return { payloads };
}

function localBench(): LocalBench {
  assertNoCodeGeneration();
  return new LocalBench(CODECS);
}
