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

/** How long the server needs at most, after the last byte has come, to begin what it says. */
const SETTLING_MS = 200;

/** The Worker of the chaos in a workerd process, on one port and one storage, and all that can be done to it. */
export class ChaosServer implements AsyncDisposable {
  readonly #served: ServedWorker;
  readonly #disk: SmallDisk | undefined;
  #version = 1;

  private constructor(served: ServedWorker, disk: SmallDisk | undefined) {
    this.#served = served;
    this.#disk = disk;
  }

  /**
   * With `canFill` its storage is on a disk that can be full, where this machine lets us mount one; `broken` declares
   * idempotent what is not.
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

  /** The number of the code that is, or was last, deployed. */
  get version(): number {
    return this.#version;
  }

  get canFill(): boolean {
    return this.#disk !== undefined;
  }

  /** Ends the process by SIGKILL. */
  kill(): Promise<void> {
    return this.#served.kill();
  }

  /** Serves again after `kill`. */
  restart(): Promise<void> {
    return this.#served.restart();
  }

  /** Replaces the Worker by another version of its code, which ends all that is going on. */
  async deploy(): Promise<void> {
    await this.#replace(`var VERSION = ${this.#version};`, `var VERSION = ${this.#version + 1};`);
    this.#version++;
  }

  /** Ends the object, as the platform does when it moves it or something in it is broken. */
  async abort(): Promise<void> {
    await (await this.#fetch('abort')).arrayBuffer();
  }

  /** Has the object leave memory, its sockets staying open, as it does when nobody talks; resolves to false where it is too busy for that. */
  async evict(): Promise<boolean> {
    return (await this.#fetch('evict')).json() as Promise<boolean>;
  }

  /** Lets the storage take nothing more, until `freeStorage`. */
  fillStorage(): Promise<void> {
    return this.#disk!.fill();
  }

  freeStorage(): Promise<void> {
    return this.#disk!.free();
  }

  /** Reads what the object has stored, past the library and past the proxy. */
  async ledger(): Promise<Ledger> {
    const runs: Run[] = [];
    for (;;) {
      const response = await this.#fetch(`ledger?skip=${runs.length}`);
      const page = (await response.json()) as Ledger;
      runs.push(...page.runs);
      if (page.runs.length === 0) return { ...page, runs };
    }
  }

  /** The ledger when nothing is added to it any more. */
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

  /** Serves a bundle in which a piece of code is another one. */
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
