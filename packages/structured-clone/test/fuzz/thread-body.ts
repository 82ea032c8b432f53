import { parentPort, workerData } from 'node:worker_threads';
import { type FuzzCase, makeCase } from './cases.ts';
import { codecWith, type Defect } from './codec.ts';
import type { Corpus } from './corpus.ts';
import { createJudge, type Failure } from './judge.ts';
import { watchPrototypes } from './prototypes.ts';

/** Cases to try: those of a corpus and a seed, with numbers from `from` to below `to`. */
export interface Range {
  /** Sent along, since what makes it takes a second to load, and a thread is soon started. */
  readonly corpus: Corpus;
  readonly seed: number;
  readonly from: number;
  readonly to: number;
  /** Look at the prototypes after every case, and not only now and then. */
  readonly careful?: boolean;
}

export interface ThreadData {
  /** Where the thread says which case it is at, for whoever watches it; of a case alone, that it has begun. */
  readonly at: Int32Array;
  readonly defect?: Defect;
}

export type Task =
  | { readonly type: 'run'; readonly range: Range }
  | { readonly type: 'judge'; readonly fuzzCase: FuzzCase };

/** What the thread says: each failure as it is found, and how a task ended. */
export type Message =
  | { readonly type: 'failure'; readonly number: number; readonly failure: Failure }
  /** The prototypes are no longer what they were, since some case of these. */
  | { readonly type: 'tainted'; readonly from: number; readonly to: number; readonly what: string }
  | { readonly type: 'done'; readonly failure?: Failure; readonly milliseconds?: number };

const CASES_BETWEEN_LOOKS = 2000;

// Most cases end in an error, whose stack would cost more than all else.
Error.stackTraceLimit = 0;

const { at, defect } = workerData as ThreadData;
const judge = createJudge(codecWith(defect));
const changedPrototype = watchPrototypes();

parentPort!.on('message', (task: Task) => (task.type === 'run' ? run(task.range) : judgeOne(task.fuzzCase)));

function run({ corpus, seed, from, to, careful }: Range): void {
  const step = careful ? 1 : CASES_BETWEEN_LOOKS;
  for (let start = from; start < to; start += step) {
    const end = Math.min(start + step, to);
    for (let number = start; number < end; number++) {
      Atomics.store(at, 0, number);
      const failure = judge(makeCase(corpus, seed, number));
      if (failure !== undefined) say({ type: 'failure', number, failure });
    }
    const what = changedPrototype();
    if (what !== undefined) return say({ type: 'tainted', from: start, to: end, what });
  }
  say({ type: 'done' });
}

function judgeOne(fuzzCase: FuzzCase): void {
  Atomics.store(at, 0, 0);
  const start = performance.now();
  const failure = judge(fuzzCase);
  const milliseconds = performance.now() - start;
  const what = changedPrototype();
  say({
    type: 'done',
    milliseconds,
    failure: what === undefined ? failure : { kind: 'changes a prototype', message: what },
  });
}

function say(message: Message): void {
  parentPort!.postMessage(message);
}
