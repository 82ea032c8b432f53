import type { ConnectOptions } from '@lumenize/rpc';
import { type Library, loadLibrary } from './loading/library.ts';
import { resetModules } from './loading/resets.ts';
import { SimulatedClient } from './network/client.ts';
import { ClientWebSocket, networks } from './network/client-socket.ts';
import { Faults } from './network/faults.ts';
import { SimulatedWorker } from './platform/worker.ts';
import { resetCollections } from './scheduler/collection.ts';
import { installGlobals } from './scheduler/globals.ts';
import { currentRealm, Realm } from './scheduler/realm.ts';
import { describeError, Scheduler } from './scheduler/scheduler.ts';
import { resetTimers } from './scheduler/timers.ts';
import type { ClientLibrary, Fault, World } from './world.ts';

/** Options of a simulated world. */
export interface SimulatedWorldOptions {
  /**
   * The entry module of the Worker, as a path from the repository's folder. In a list, the other modules are those that
   * deploys install, in turn.
   */
  readonly entry: string | readonly string[];
  /** The name of the object that clients connect to. @default 'main' */
  readonly object?: string;
  /** The name of the binding of its class, in small letters. @default that of the first class */
  readonly binding?: string;
  /** The library, such as one with a planted defect. @default the unchanged library */
  readonly library?: Library;
  /** The longest time until a commit is durable, in milliseconds. @default 10 */
  readonly maxDurableMs?: number;
  /**
   * The longest time of an operation of asynchronous storage, in milliseconds; 0 if it is done at once, as in SQLite.
   * @default 0
   */
  readonly maxStorageMs?: number;
}

/** A world of the simulated platform, with access to its internals. */
export interface SimulatedWorld extends World {
  /** The hash of everything that has happened. The same seed gives the same hash. */
  readonly traceHash: string;
  /** Everything that has happened, line by line. */
  readonly trace: readonly string[];
  /** The number of tasks that have run. */
  readonly tasks: number;
  /** Rejected promises and errors of callbacks that were not handled, with their places. */
  readonly unhandled: readonly string[];
  /**
   * Returns what is left that should not be, once the world is calm. `end` returns it too, together with unhandled
   * errors.
   */
  leftovers(): string[];
  /** Opens a socket of a client to a path of the Worker, without the library. */
  openSocket(client: number, path: string): ClientWebSocket;
  /** How often the objects were in memory. */
  readonly lives: number;
  /** True if an object is in memory now. */
  readonly isInMemory: boolean;
}

/** How often to check whether the world is calm, in milliseconds. */
const LOOK_MS = 250;
/**
 * The time without activity after which the world counts as never calm, in milliseconds. It is longer than clients wait
 * before they reconnect.
 */
const QUIET_MS = 45_000;
const MOST_CALM_MS = 900_000;

/**
 * Creates a world whose time and random decisions come from a seed.
 *
 * ```ts
 * const world = await createSimulatedWorld(7, { entry: 'packages/simulation/src/programs/worker.ts' });
 * await world.run(async () => {
 *   const stub = world.connect(0) as Stub<Api>;
 *   await world.as(0, () => stub.increment());
 *   await world.fault({ kind: 'crash', keepsCommits: false });
 *   await world.calm();
 * });
 * world.traceHash; world.trace;
 * await world.end(); // returns what is left that should not be
 * ```
 *
 * Clients with even numbers are pages, and others are programs in Node. A process can have only one world at a time.
 * Each class that the entry exports and that extends `DurableObject` has a binding with its name in capitals. Code that
 * runs in a world must not wait for anything outside: no file, no real timer. Entries, and the modules of this
 * repository that they import, use the world's `setTimeout`, `WebSocket` and so on instead of the machine's. The
 * program that drives clients does not, and uses `world.sleep`. Both have the world's `Math.random`, `Date.now` and
 * `crypto`, but `new Date()` is the machine's.
 */
export async function createSimulatedWorld(seed: number, options: SimulatedWorldOptions): Promise<SimulatedWorld> {
  const library = options.library ?? (await loadLibrary());
  const entries = typeof options.entry === 'string' ? [options.entry] : options.entry;
  const modules = await Promise.all(entries.map((entry) => library.importObject(entry)));
  installGlobals();
  resetModules();
  resetTimers();
  resetCollections();
  return new RunningWorld(seed, library, modules, options);
}

class RunningWorld implements SimulatedWorld {
  readonly library: ClientLibrary;
  readonly #scheduler: Scheduler;
  readonly #program: Realm;
  readonly #worker: SimulatedWorker;
  readonly #clients = new Map<number, SimulatedClient>();
  readonly #clocks = { object: { aheadMs: 0 }, clients: { aheadMs: 0 } };
  readonly #faults: Faults;
  readonly object: string;
  readonly #binding: string;
  readonly #connectHttp: Library['connectHttp'];

  constructor(
    seed: number,
    library: Library,
    modules: readonly Readonly<Record<string, unknown>>[],
    { object = 'main', binding, maxDurableMs = 10, maxStorageMs = 0 }: SimulatedWorldOptions,
  ) {
    this.library = library.client;
    this.#connectHttp = library.connectHttp;
    const scheduler = new Scheduler(seed);
    this.#scheduler = scheduler;
    scheduler.realmName = () => currentRealm()?.name ?? '';
    this.#program = new Realm('program', scheduler, { aheadMs: 0 });
    this.#worker = new SimulatedWorker(scheduler, modules[0], {
      clock: this.#clocks.object,
      maxDurableMs,
      maxStorageMs,
    });
    this.object = object;
    this.#binding = binding ?? this.#worker.bindings[0].toLowerCase();
    networks.others = (url) => this.#client(Number(url.searchParams.get('client') ?? 0));
    this.#faults = new Faults({
      scheduler,
      modules,
      worker: this.#worker,
      clocks: this.#clocks,
      client: (number) => this.#client(number),
      clients: () => this.#clients.values(),
    });
  }

  get traceHash(): string {
    return this.#scheduler.trace.hash;
  }

  get trace(): readonly string[] {
    return this.#scheduler.trace.lines;
  }

  get tasks(): number {
    return this.#scheduler.tasks;
  }

  get unhandled(): readonly string[] {
    return this.#scheduler.unhandled.map(({ realm, error }) => `${realm}: ${describeError(error)}`);
  }

  get lives(): number {
    let lives = 0;
    for (const object of this.#worker.objects()) lives += object.lives;
    return lives;
  }

  get isInMemory(): boolean {
    return [...this.#worker.objects()].some(({ life }) => life !== undefined);
  }

  run<Result>(program: () => Result | Promise<Result>): Promise<Result> {
    return this.#scheduler.run(() => this.#program.run(program));
  }

  as<Result>(client: number, job: () => Result): Result {
    return this.#client(client).realm.run(job);
  }

  connect(client: number, options?: ConnectOptions, over: 'socket' | 'http' = 'socket'): unknown {
    const url = `wss://simulated.test/rpc/${this.#binding}/${this.object}?client=${client}`;
    return this.as(client, () =>
      over === 'socket' ? this.library.connect(url, options) : this.#connectHttp(url, options),
    );
  }

  openSocket(client: number, path: string): ClientWebSocket {
    return this.as(client, () => new ClientWebSocket(`wss://simulated.test${path}`));
  }

  request(path: string, init?: RequestInit): Promise<Response> {
    return this.#worker.fetchDirectly(`https://simulated.test${path}`, init);
  }

  can(fault: Fault): boolean {
    return this.#faults.can(fault);
  }

  async fault(fault: Fault): Promise<void> {
    this.#scheduler.trace.add(this.#scheduler.now, 'program', 'fault', JSON.stringify(fault));
    await this.#faults.begin(fault);
  }

  now(): number {
    return this.#scheduler.now;
  }

  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.#program.after(ms, 'sleep', resolve));
  }

  async calm(): Promise<void> {
    this.#faults.end();
    const begun = this.now();
    const active = () => Math.max(begun, this.#scheduler.lastActive);
    // Objects stay in memory as long as they would otherwise, because a calm must not lose what they hold for clients.
    do await this.sleep(LOOK_MS);
    while (this.leftovers().length > 0 && this.now() < Math.min(begun + MOST_CALM_MS, active() + QUIET_MS));
  }

  leftovers(): string[] {
    const left: string[] = [];
    for (const { name, life } of this.#worker.objects()) {
      if (life?.isIdle === false) left.push(`${name} cannot leave memory: ${life.holders.join(', ')}`);
    }
    const links = [...this.#clients.values()].flatMap((client) => [...client.links]).filter((link) => !link.isOver);
    for (const link of links) {
      if (!link.up.isEmpty || !link.down.isEmpty) left.push(`${link.name} has something under way`);
    }
    const realms = [this.#program, ...[...this.#clients.values()].map(({ realm }) => realm)];
    const timers = realms.reduce((sum, realm) => sum + realm.timers.size, 0);
    // Each connection has one timer, which detects when the connection has been silent for too long.
    if (timers > links.length) left.push(`${timers} timers of clients are set, for ${links.length} connections`);
    return left;
  }

  async end(): Promise<readonly string[]> {
    const left = [...this.leftovers(), ...this.unhandled.map((what) => `unhandled: ${what}`)];
    for (const object of this.#worker.objects()) object.close();
    for (const { realm } of this.#clients.values()) realm.end();
    this.#program.end();
    return left;
  }

  #client(number: number): SimulatedClient {
    let client = this.#clients.get(number);
    if (client === undefined) {
      client = new SimulatedClient(
        `client${number}`,
        number % 2 === 0,
        this.#scheduler,
        this.#clocks.clients,
        this.#worker,
      );
      this.#clients.set(number, client);
    }
    return client;
  }
}
