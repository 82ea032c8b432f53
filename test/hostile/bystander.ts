import { Worker } from 'node:worker_threads';

/** What a client that behaves has seen. */
export interface Seen {
  calls: number;
  /** What was wrong, in words; the first few. */
  wrong: string[];
  /** The longest that a call took, in milliseconds. */
  longestMs: number;
  /** What half of the calls took at most, and 99 in 100. */
  medianMs: number;
  p99Ms: number;
  /** Messages that have reached the object so far. */
  received: number;
}

/** A client that behaves, in a thread of its own: so what it waits for is the server. */
export class Bystander implements AsyncDisposable {
  readonly #worker: Worker;

  private constructor(worker: Worker) {
    this.#worker = worker;
  }

  /** Resolves when it has been served once. */
  static async start(url: string): Promise<Bystander> {
    const worker = new Worker(new URL('./bystander-thread.ts', import.meta.url), {
      workerData: url,
      execArgv: ['--conditions=@lumenize/source'],
    });
    const bystander = new Bystander(worker);
    await bystander.seen();
    return bystander;
  }

  /** Tells what it has seen since it was asked last. */
  seen(): Promise<Seen> {
    const { promise, resolve, reject } = Promise.withResolvers<Seen>();
    this.#worker.once('error', reject);
    this.#worker.once('message', (seen: Seen) => {
      this.#worker.off('error', reject);
      resolve(seen);
    });
    this.#worker.postMessage('seen');
    return promise;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#worker.terminate();
  }
}
