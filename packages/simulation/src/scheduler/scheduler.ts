import { Heap } from './heap.ts';
import { Random } from './random.ts';
import { Trace } from './trace.ts';

/** A task that runs at a point in virtual time. */
export interface Task {
  readonly time: number;
  readonly order: number;
  readonly realm: string;
  readonly what: string;
  cancel(): void;
}

interface QueuedTask extends Task {
  job: (() => void) | undefined;
}

/** The most tasks that run at the same time. More are a loop of timers without a delay. */
const MOST_AT_A_TIME = 100_000;
/** The number of tasks that run before the machine's own events get their turn. */
const TASKS_AT_ONCE = 5000;

const { setImmediate } = globalThis;
/** Runs all jobs of promises until there are none. It takes a fraction of the time of a machine event. */
const drain = (process as unknown as { _tickCallback(): void })._tickCallback;

/** An error that was not handled: a rejected promise, or an error thrown by a callback. */
export interface Unhandled {
  readonly realm: string;
  readonly error: unknown;
}

/**
 * The queue of a world, in virtual time. Tasks run one by one. Between two tasks all jobs of promises run, as between
 * two events of a real process. Random decisions come from the seed.
 */
export class Scheduler {
  readonly random: Random;
  readonly trace = new Trace();
  readonly unhandled: Unhandled[] = [];
  readonly #queue = new Heap<QueuedTask>();
  /**
   * The number of running operations of the machine itself, such as reading a Blob. The world stands still for them.
   */
  #foreign = 0;
  readonly #ends: (() => void)[] = [];
  /** The number of socket pairs created so far. */
  sockets = 0;
  #order = 0;
  #now = 0;
  #lastActive = 0;
  #tasks = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  /** Milliseconds since the world began. */
  get now(): number {
    return this.#now;
  }

  /** When something last happened that does not happen in an idle world. */
  get lastActive(): number {
    return this.#lastActive;
  }

  noteActive(): void {
    this.#lastActive = this.#now;
  }

  /** The number of tasks that have run at the current time. */
  #tasksNow = 0;

  /** The number of tasks that have run. */
  get tasks(): number {
    return this.#tasks;
  }

  /** The tasks that have not run yet, in no particular order. */
  *pending(): Generator<Task> {
    for (const task of this.#queue) if (task.job !== undefined) yield task;
  }

  after(ms: number, realm: string, what: string, job: () => void): Task {
    const task: QueuedTask = {
      time: this.#now + Math.max(0, ms),
      order: this.#order++,
      realm,
      what,
      job,
      cancel() {
        task.job = undefined;
      },
    };
    this.#queue.push(task);
    return task;
  }

  /** Runs a job at the end of the current task, after all jobs of promises that resulted from it. */
  atEndOfTask(job: () => void): void {
    this.#ends.push(job);
  }

  /** Makes the world stand still until a promise of the machine is settled. */
  standStill<Result>(promise: Promise<Result>): Promise<Result> {
    this.#foreign++;
    const done = () => void this.#foreign--;
    promise.then(done, done);
    return promise;
  }

  /**
   * Runs a function, and runs the world until the returned promise is settled. Time only passes meanwhile. Rejects if
   * nothing is left to do and the promise is not settled.
   */
  run<Result>(main: () => Result | Promise<Result>): Promise<Result> {
    return new Promise((resolve, reject) => {
      let end: (() => void) | undefined;
      const handled = this.#handleRejections();
      const step = () => {
        try {
          for (let i = 0; i < TASKS_AT_ONCE && end === undefined && this.#foreign === 0; i++) {
            if (!this.#runNext()) {
              const stuck = new Error('nothing is left to do in this world, and it still waits for something');
              end = () => reject(stuck);
            }
            drain();
            while (this.#ends.length > 0) {
              for (const job of this.#ends.splice(0)) job();
              drain();
            }
          }
        } catch (error) {
          end = () => reject(error);
        }
        if (end === undefined) return setImmediate(step);
        handled();
        end();
      };
      setImmediate(() => {
        new Promise<Result>((settle) => settle(main())).then(
          (result) => (end = () => resolve(result)),
          (error) => (end = () => reject(error)),
        );
        drain();
        step();
      });
    });
  }

  #runNext(): boolean {
    for (;;) {
      const task = this.#queue.pop();
      if (task === undefined) return false;
      const { job } = task;
      if (job === undefined) continue;
      if (task.time > this.#now) this.#tasksNow = 0;
      this.#now = task.time;
      this.#tasks++;
      if (++this.#tasksNow > MOST_AT_A_TIME) throw new Error(`time stands still, with ${task.what} of ${task.realm}`);
      task.job = undefined;
      try {
        job();
      } catch (error) {
        this.failed(task.realm, error);
      }
      return true;
    }
  }

  /** Records an error that was not handled. */
  failed(realm: string, error: unknown): void {
    this.unhandled.push({ realm, error });
    this.trace.add(this.#now, realm, 'unhandled', describeError(error));
  }

  #handleRejections(): () => void {
    const listener = (error: unknown) => this.failed(this.realmName(), error);
    process.on('unhandledRejection', listener);
    return () => process.off('unhandledRejection', listener);
  }

  /** Returns the name of the realm of the running code. */
  realmName: () => string = () => '';
}

/** Describes an error in a way that is the same on all machines. */
export function describeError(error: unknown): string {
  try {
    const { name, code, message } = error as { name?: unknown; code?: unknown; message?: unknown };
    return JSON.stringify(
      message === undefined ? String(error) : `${name}${code === undefined ? '' : ` ${code}`}: ${message}`,
    );
  } catch {
    return 'something';
  }
}
