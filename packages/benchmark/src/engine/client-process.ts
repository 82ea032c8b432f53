import { type ForkOptions, fork } from 'node:child_process';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';

/** A function that a client process can run on request. Its name is its key in the argument of `answer`. */
type Task = (asked: never) => unknown;
type Asked<T, Name extends keyof T> = T[Name] extends Task ? T[Name] : never;

/** The answer to a request, by its number. */
export type Answer = { readonly id: number } & ({ readonly reply: unknown } | { readonly error: string });

/**
 * Options for starting Node for a client. @default without options: those of this process, such as a test runner's, are
 * not passed on
 */
export type ProcessOptions = Pick<ForkOptions, 'execArgv' | 'env'>;

/** A new process of a client. It runs its tasks on request, one after the other, and ends with this process. */
export class ClientProcess<T> {
  readonly #process;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #errors = '';
  #ended: string | undefined;

  /** Starts `bundle`, which calls `answer`. */
  constructor(bundle: string, { execArgv = [], env }: ProcessOptions = {}) {
    this.#process = fork(bundle, { execArgv, env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
    this.#process.stderr!.setEncoding('utf8').on('data', (text: string) => {
      this.#errors += text;
    });
    this.#process.on('message', (answer: Answer) => {
      const waiting = this.#waiting.get(answer.id);
      this.#waiting.delete(answer.id);
      if ('error' in answer) waiting?.reject(new Error(`the client failed: ${answer.error}`));
      else waiting?.resolve(answer.reply);
    });
    const end = (why: string) => {
      this.#ended ??= `${why}\n${this.#errors}`;
      for (const { reject } of this.#waiting.values()) reject(new Error(this.#ended));
      this.#waiting.clear();
    };
    this.#process.once('error', (error) => end(error.message));
    this.#process.once('close', (code) => end(`the client process ended with code ${code} and no answer`));
  }

  /** Runs a task and resolves with its result. Rejects if the task fails or the process has ended. */
  ask<Name extends keyof T & string>(name: Name, asked: Parameters<Asked<T, Name>>[0]) {
    const waiting = Promise.withResolvers<unknown>();
    if (this.#ended !== undefined) waiting.reject(new Error(this.#ended));
    else {
      const id = ++this.#lastId;
      this.#waiting.set(id, waiting);
      this.#process.send({ id, name, asked }, (error) => error && waiting.reject(error));
    }
    return waiting.promise as Promise<Awaited<ReturnType<Asked<T, Name>>>>;
  }

  /** Resolves when the process has started. */
  started(): Promise<void> {
    return this.ask('started' as never, undefined as never) as Promise<void>;
  }

  /** Ends the process and everything it has open. */
  stop(): void {
    this.#process.kill('SIGKILL');
  }
}

/**
 * Makes this process answer requests. Each task is a function in `tasks`. The process ends with the one that sends the
 * requests.
 */
export function answer(tasks: Readonly<Record<string, unknown>>): void {
  process.on('message', async ({ id, name, asked }: { id: number; name: string; asked: never }) => {
    try {
      process.send!({ id, reply: await (tasks[name] as Task)(asked) } satisfies Answer);
    } catch (error) {
      process.send!({ id, error: error instanceof Error ? error.stack! : String(error) } satisfies Answer);
    }
  });
  // The requesting process has ended, so there is no receiver for the results.
  process.once('disconnect', () => process.exit());
}

const NS_PER_MS = 1e6;
const DELAY_RESOLUTION_MS = 10;

/** Starts measuring how busy and how late this process is. The time after `pause` does not count as late. */
export function watchHealth() {
  const delays = monitorEventLoopDelay({ resolution: DELAY_RESOLUTION_MS });
  const idleBefore = performance.eventLoopUtilization();
  delays.enable();
  return {
    pause: () => void delays.disable(),
    resume: () => void delays.enable(),
    /** Stops measuring, and returns the results. */
    end() {
      delays.disable();
      // The histogram contains the intervals between timer events. Everything above the resolution is lateness.
      const lateMs = (ns: number) => Math.max(0, ns / NS_PER_MS - DELAY_RESOLUTION_MS);
      return {
        /** The share of the time in which the event loop was not idle. */
        utilization: performance.eventLoopUtilization(idleBefore).utilization,
        delayP99Ms: lateMs(delays.percentile(99)),
        delayMaxMs: lateMs(delays.max),
      };
    },
  };
}
