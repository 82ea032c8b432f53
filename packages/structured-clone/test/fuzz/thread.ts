import { Worker } from 'node:worker_threads';
import type { FuzzCase } from './cases.ts';
import type { Defect } from './codec.ts';
import type { Failure } from './judge.ts';
import type { Message, Range, Task, ThreadData } from './thread-body.ts';

export const HANG_MS = 1000;
const LOOK_MS = 50;
const STARTING = -1;

export interface FuzzThreadOptions {
  /** A case that takes longer hangs. @default 1000 */
  readonly hangMs?: number;
  /** Machines pause: a case alone is given so much time before it is given up. @default 5 times hangMs */
  readonly aloneMs?: number;
  /** What the codec does wrong on purpose. @default nothing */
  readonly defect?: Defect;
}

/** How trying a range of cases ended. */
export type RunEnd =
  | { readonly type: 'done' }
  | { readonly type: 'tainted'; readonly from: number; readonly to: number; readonly what: string }
  /** The thread is at an end, at this case or before its first. */
  | { readonly type: 'stuck' | 'dead'; readonly number: number; readonly what: string };

type FailureMessage = Extract<Message, { type: 'failure' }>;
type TaskEnd = Exclude<Message, FailureMessage> | { readonly type: 'stuck' | 'dead'; readonly what: string };

/** Runs cases in a thread of its own, which can be ended whatever they do. */
export class FuzzThread implements AsyncDisposable {
  readonly #hangMs: number;
  readonly #aloneMs: number;
  readonly #defect: Defect | undefined;
  readonly #at = new Int32Array(new SharedArrayBuffer(4)).fill(STARTING);
  #worker: Worker | undefined;

  constructor({ hangMs = HANG_MS, aloneMs = 5 * hangMs, defect }: FuzzThreadOptions = {}) {
    this.#hangMs = hangMs;
    this.#aloneMs = aloneMs;
    this.#defect = defect;
  }

  /** Tries cases one after the other until all are done, or one leaves the thread of no more use. */
  async run(range: Range, onFailure: (number: number, failure: Failure) => void): Promise<RunEnd> {
    Atomics.store(this.#at, 0, STARTING);
    let last = STARTING;
    let since = performance.now();
    const isStuck = () => {
      const number = Atomics.load(this.#at, 0);
      if (number !== last) since = performance.now();
      last = number;
      // Before the first case, it loads what it needs.
      return number !== STARTING && performance.now() - since > this.#hangMs;
    };
    const end = await this.#ask({ type: 'run', range }, isStuck, ({ number, failure }) => onFailure(number, failure));
    if (end.type === 'done' || end.type === 'tainted') return end;
    return { ...end, number: Atomics.load(this.#at, 0) };
  }

  /** Tries one case; also one that hangs or ends the thread. */
  async judge(fuzzCase: FuzzCase, limitMs = this.#aloneMs): Promise<Failure | undefined> {
    Atomics.store(this.#at, 0, STARTING);
    let start = performance.now();
    const isStuck = () => {
      // A thread that is new loads what it needs first.
      if (Atomics.load(this.#at, 0) === STARTING) start = performance.now();
      return performance.now() - start > limitMs;
    };
    const end = await this.#ask({ type: 'judge', fuzzCase }, isStuck);
    switch (end.type) {
      case 'done': {
        if (end.failure?.kind === 'changes a prototype') await this[Symbol.asyncDispose]();
        const milliseconds = end.milliseconds!;
        if (end.failure === undefined && milliseconds > this.#hangMs)
          return { kind: 'hangs', message: `${milliseconds} ms` };
        return end.failure;
      }
      case 'stuck':
        return { kind: 'hangs', message: `more than ${limitMs} ms` };
      case 'dead':
        return { kind: 'throws', message: `the thread ended: ${end.what}` };
      default:
        throw new Error(`unexpected end: ${end.type}`);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker?.terminate();
    this.#worker = undefined;
  }

  /** Gives the thread a task and watches it; a thread that is stuck, dead or tainted is replaced at the next task. */
  async #ask(task: Task, isStuck: () => boolean, onFailure?: (message: FailureMessage) => void): Promise<TaskEnd> {
    this.#worker ??= this.#start();
    const worker = this.#worker;
    const { promise, resolve } = Promise.withResolvers<TaskEnd>();
    const onMessage = (message: Message) => (message.type === 'failure' ? onFailure?.(message) : resolve(message));
    const onError = (error: unknown) => resolve({ type: 'dead', what: String(error) });
    const onExit = (code: number) => resolve({ type: 'dead', what: `it ended with ${code}` });
    const watch = setInterval(() => isStuck() && resolve({ type: 'stuck', what: 'it hung' }), LOOK_MS);
    worker.on('message', onMessage).on('error', onError).on('exit', onExit).postMessage(task);
    const end = await promise;
    clearInterval(watch);
    worker.off('message', onMessage).off('error', onError).off('exit', onExit);
    if (end.type !== 'done') await this[Symbol.asyncDispose]();
    return end;
  }

  #start(): Worker {
    const workerData: ThreadData = { at: this.#at, defect: this.#defect };
    const worker = new Worker(new URL('./thread-body.ts', import.meta.url), {
      workerData,
      // A package's sources, as tests use them.
      execArgv: ['--conditions=@lumenize/source'],
      resourceLimits: { maxOldGenerationSizeMb: 512 },
    });
    // It may still run out of memory after it was given up for being slow.
    return worker.on('error', () => {});
  }
}
