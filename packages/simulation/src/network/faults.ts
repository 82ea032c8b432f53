import type { EntryModule, SimulatedWorker } from '../platform/worker.ts';
import { collect } from '../scheduler/collection.ts';
import type { Clock } from '../scheduler/realm.ts';
import type { Scheduler, Task } from '../scheduler/scheduler.ts';
import type { Fault } from '../world.ts';
import type { SimulatedClient } from './client.ts';
import type { Link } from './link.ts';

/** The parts of a world in which faults are brought about. */
export interface Faulty {
  readonly scheduler: Scheduler;
  readonly worker: SimulatedWorker;
  readonly modules: readonly EntryModule[];
  readonly clocks: Readonly<Record<'object' | 'clients', Clock>>;
  client(number: number): SimulatedClient;
  clients(): Iterable<SimulatedClient>;
}

/** Brings faults about, and ends them. */
export class Faults {
  readonly #world: Faulty;
  #deploys = 0;
  #disk: Task | undefined;

  constructor(world: Faulty) {
    this.#world = world;
  }

  can(_fault: Fault): boolean {
    return true;
  }

  begin(fault: Fault): void | Promise<void> {
    const { scheduler, worker, modules, clocks } = this.#world;
    switch (fault.kind) {
      case 'cut':
        return this.#each(fault.client, (link) => {
          if (fault.direction === undefined || fault.afterBytes === undefined) link.cut();
          else link[fault.direction].cutAfter(fault.afterBytes, () => link.cut());
        });
      case 'freeze':
        return this.#each(fault.client, ({ up, down }) => {
          if (fault.direction !== 'down') up.freeze(fault.ms);
          if (fault.direction !== 'up') down.freeze(fault.ms);
        });
      case 'slow':
        return this.#each(fault.client, ({ down }) => down.freeze(fault.ms));
      case 'delay':
        this.#world.client(fault.client).delays[fault.direction] = fault.ms;
        return;
      case 'upgrade':
        this.#world.client(fault.client).upgradeTrouble = fault.how;
        return;
      case 'offline':
        return this.#world.client(fault.client).goOffline(fault.ms);
      case 'sleep':
        return this.#world.client(fault.client).sleep(fault.ms);
      case 'reload':
        return this.#world.client(fault.client).reload();
      case 'evict':
        for (const object of worker.objects()) object.evict();
        return;
      case 'crash':
        for (const object of worker.objects()) object.crash('a crash', fault.keepsCommits);
        return;
      case 'deploy':
        return worker.deploy(modules[++this.#deploys % modules.length]);
      case 'disk':
        this.#setTrouble(fault.how);
        this.#disk?.cancel();
        this.#disk = scheduler.after(fault.ms, 'disk', 'disk', () => this.#setTrouble(undefined));
        return;
      case 'close':
        return this.#close(fault.client, fault.code);
      case 'clock':
        clocks[fault.side].aheadMs += fault.ms;
        return;
      case 'collect':
        return new Promise((resolve) => {
          scheduler.after(0, 'program', 'collect', () => {
            collect();
            resolve();
          });
        });
      default:
        fault satisfies never;
    }
  }

  /** Ends all current faults. */
  end(): void {
    this.#disk?.cancel();
    this.#setTrouble(undefined);
    for (const client of this.#world.clients()) {
      client.upgradeTrouble = undefined;
      client.release();
      Object.assign(client.delays, { up: 5, down: 5 });
      client.recover();
    }
  }

  #each(client: number, job: (link: Link) => void): void {
    for (const link of [...this.#world.client(client).links]) if (!link.isOver) job(link);
  }

  #setTrouble(trouble: 'full' | 'failing' | undefined): void {
    for (const { database } of this.#world.worker.objects()) database.trouble = trouble;
  }

  /**
   * Closes the sockets of a client as code of the object would: at once if the object is in memory, or else after
   * waking it.
   */
  #close(client: number, code: number): void {
    const ends = new Set([...this.#world.client(client).links].map((link) => link.end?.peer));
    for (const object of this.#world.worker.objects()) object.closeSockets((endpoint) => ends.has(endpoint), code);
  }
}
