import { fileURLToPath } from 'node:url';
import { type ServedWorker, serveWorker } from '../support/workerd.ts';
import type { Ledger, Run } from './chaos-calls.ts';
import { SmallDisk } from './small-disk.ts';

const worker = {
  main: fileURLToPath(new URL('./worker/worker.ts', import.meta.url).href),
  compatibilityDate: '2026-10-15',
  compatibilityFlags: ['unsafe_module'],
  objects: { CHAOS: 'ChaosObject' },
};

/** The longest time between the arrival of the last byte and the start of its calls. */
const SETTLING_MS = 200;

/** Serves the Worker in a workerd process, on one port and one storage, and makes it fail. */
export class ChaosServer implements AsyncDisposable {
  readonly #served: ServedWorker;
  readonly #disk: SmallDisk | undefined;
  #version = 1;

  private constructor(served: ServedWorker, disk: SmallDisk | undefined) {
    this.#served = served;
    this.#disk = disk;
  }

  /**
   * Starts the server. With `canFill`, its storage is on a disk that can be full, if this machine can mount one. With
   * `broken`, `increment` is wrongly declared idempotent.
   */
  static async start({ canFill = false, broken = false } = {}): Promise<ChaosServer> {
    const disk = canFill ? await SmallDisk.mount() : undefined;
    const server = new ChaosServer(await serveWorker(worker, disk?.folder), disk);
    if (broken) await server.#replace('increment: { exactlyOnce: true }', 'increment: { idempotent: true }');
    return server;
  }

  get port(): number {
    return this.#served.port;
  }

  /** The number of the code that was deployed last. */
  get version(): number {
    return this.#version;
  }

  get canFill(): boolean {
    return this.#disk !== undefined;
  }

  /** Ends the process with SIGKILL. */
  kill(): Promise<void> {
    return this.#served.kill();
  }

  /** Restarts the process after `kill`. */
  restart(): Promise<void> {
    return this.#served.restart();
  }

  /** Replaces the Worker by another version of its code, which ends its connections and calls. */
  async deploy(): Promise<void> {
    await this.#replace(`var DEPLOYED = ${this.#version};`, `var DEPLOYED = ${this.#version + 1};`);
    this.#version++;
  }

  /** Ends the object, as the platform does when it moves an object or an object is broken. */
  async abort(): Promise<void> {
    await (await this.#fetch('abort')).arrayBuffer();
  }

  /**
   * Removes the object from memory while its sockets stay open, as the platform does with an idle object. Resolves to
   * false if the object is too busy.
   */
  async evict(): Promise<boolean> {
    return (await this.#fetch('evict')).json() as Promise<boolean>;
  }

  /** Makes the storage full until `freeStorage` is called. */
  fillStorage(): Promise<void> {
    return this.#disk!.fill();
  }

  freeStorage(): Promise<void> {
    return this.#disk!.free();
  }

  /** Reads what the object has stored, without the library and the proxy. */
  async ledger(): Promise<Ledger> {
    const runs: Run[] = [];
    for (;;) {
      const response = await this.#fetch(`ledger?skip=${runs.length}`);
      const page = (await response.json()) as Ledger;
      runs.push(...page.runs);
      if (page.runs.length === 0) return { ...page, runs };
    }
  }

  /** Waits until nothing more is stored, and returns the ledger. */
  async settledLedger(): Promise<Ledger> {
    for (let before = await this.ledger(); ; ) {
      await new Promise((resolve) => setTimeout(resolve, SETTLING_MS));
      const now = await this.ledger();
      if (now.runs.length === before.runs.length) return now;
      before = now;
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#served[Symbol.asyncDispose]();
    await this.#disk?.[Symbol.asyncDispose]();
  }

  /** Serves the bundle with a piece of its code replaced. */
  async #replace(code: string, by: string): Promise<void> {
    await this.kill();
    await this.#served.restart((bundle) => {
      const changed = bundle.replace(code, by);
      if (changed === bundle) throw new Error(`the bundle has no ${code}`);
      return changed;
    });
  }

  async #fetch(path: string): Promise<Response> {
    const response = await fetch(`http://127.0.0.1:${this.port}/control/${path}`);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}
