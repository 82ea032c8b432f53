import type { Connection, ConnectOptions } from '@lumenize/rpc';
import type { World } from '../world.ts';
import type { SideEdge } from './known-edges.ts';
import type { ScenarioSpec } from './spec.ts';

/** A client's stub. It is untyped, because scenarios also make calls that a schema or a guard refuses. */
// biome-ignore lint/suspicious/noExplicitAny: see above
export type AnyStub = any;

/** A client of a scenario. */
export interface StageClient {
  readonly number: number;
  readonly stub: AnyStub;
  readonly connection: Connection;
}

/** Options of a client. */
export interface ClientOptions extends ConnectOptions {
  readonly number?: number;
  readonly name?: string;
  /** Returns the version of its identity. Called whenever a token is needed. Version 1 is an administrator. */
  readonly version?: () => number;
  /** How long its identity is valid, in milliseconds. */
  readonly expiresMs?: number;
}

/** Random numbers, the same for the same seed. */
export class Draw {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  /** Returns a whole number from `least` to `most`. */
  int(least: number, most: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return least + (((mixed ^ (mixed >>> 14)) >>> 0) % (most - least + 1));
  }

  pick<T>(values: readonly T[]): T {
    return values[this.int(0, values.length - 1)];
  }

  chance(times: number): boolean {
    return this.int(1, times) === 1;
  }
}

/** The stage of scenarios: a world, and the faults that they find. */
export class Stage {
  readonly world: World;
  readonly draw: Draw;
  /** The faults that were found. */
  readonly wrong: string[] = [];
  readonly #clients: StageClient[] = [];
  /** True if the object does not serve at all, since an option is not valid. */
  isRefused = false;
  /** The option to try, instead of one that is drawn. */
  readonly edge: SideEdge | undefined;

  constructor(world: World, seed: number, edge?: SideEdge) {
    this.edge = edge;
    this.world = world;
    this.draw = new Draw(seed);
  }

  /** Sets how the object serves. Must be called once, before any client connects. */
  async serve(scenario: ScenarioSpec = {}): Promise<void> {
    const { topics = [], anyone = false } = scenario;
    const body = JSON.stringify({ methods: [], ways: [], topics, options: { anyone }, scenario });
    await this.world.request(`/control/${this.world.object}/define`, { method: 'POST', body });
  }

  client(options: ClientOptions = {}): StageClient {
    const { number = this.#clients.length, name = `s${number}`, version = () => 0, expiresMs = 0, ...rest } = options;
    const stub = this.world.connect(number, {
      token: () => `${name}/${expiresMs}/${version()}`,
      reconnect: { minDelayMs: 5, maxDelayMs: 50 },
      onStateChange: () => {},
      ...rest,
    });
    const client = { number, stub, connection: this.world.library.connection(stub as object) };
    this.#clients.push(client);
    return client;
  }

  /** Records a fault if the condition does not hold. */
  check(holds: boolean, message: string): void {
    if (!holds) this.wrong.push(message);
  }

  equal(is: unknown, wanted: unknown, what: string): void {
    const [a, b] = [JSON.stringify(is), JSON.stringify(wanted)];
    this.check(a === b, `${what} is ${a}, not ${b}`);
  }

  /** Checks the outcome of a call against the wanted value. */
  async comesTo(call: PromiseLike<unknown>, wanted: unknown, what: string): Promise<void> {
    this.equal(await outcome(call), wanted, what);
  }

  /** Checks that a call rejects with one of these codes. */
  async rejects(call: PromiseLike<unknown>, codes: string | readonly string[], what: string): Promise<void> {
    const told = await outcome(call);
    const isWanted = typeof told === 'string' && [codes].flat().some((code) => told === `rejected: ${code}`);
    this.check(isWanted, `${what} is ${JSON.stringify(told)}, not a rejection with ${codes}`);
  }

  /** Waits until a condition holds, or records that it never does. */
  async until(holds: () => boolean | Promise<boolean>, what: string, longestMs = 5000): Promise<void> {
    const end = this.world.now() + longestMs;
    while (!(await holds())) {
      if (this.world.now() > end) return this.check(false, `not within ${longestMs} ms: ${what}`);
      await this.world.sleep(10);
    }
  }

  /** Collects all garbage. The object tells a client of it with the next message. */
  async collect(client: number): Promise<void> {
    await this.world.fault({ kind: 'collect' });
    await this.world.sleep(100);
    await outcome(this.#clients[client].stub.life());
  }

  /** Returns the metrics from the object's report. */
  async metrics(): Promise<{ connections: number; callsInFlight: number }> {
    const answer = await this.world.request(`/control/${this.world.object}/report`);
    return ((await answer.json()) as { metrics: { connections: number; callsInFlight: number } }).metrics;
  }

  /** Checks that nothing is left of what clients and the object held of each other, and closes everything. */
  async close(): Promise<void> {
    if (this.isRefused) return;
    for (const { connection, number } of this.#clients) {
      if (connection.state !== 'open') continue;
      const left = () => {
        const { callsInFlight, exports, imports, channels } = connection.statistics;
        return { callsInFlight, exports, imports, channels };
      };
      await this.until(
        async () => {
          await this.collect(number);
          return Object.values(left()).every((count) => count === 0);
        },
        `client ${number} holds nothing`,
        3000,
      );
    }
    const { callsInFlight } = await this.metrics();
    this.equal(callsInFlight, 0, 'what the object counts as running in the end');
    await this.#letSleep();
    for (const { connection } of this.#clients) connection.close();
    await this.until(async () => (await this.metrics()).connections === 0, 'the object has no connection in the end');
  }

  /** Checks that nothing keeps the object awake. */
  async #letSleep(): Promise<void> {
    const client = this.#clients.find(({ connection }) => connection.state === 'open');
    if (client === undefined) return;
    const life = () => outcome(client.stub.life());
    const before = await life();
    if (before !== `${before}` || before.startsWith('rejected')) return;
    const falls = async () => {
      await this.world.sleep(300);
      await this.world.fault({ kind: 'evict' });
      return (await life()) !== before;
    };
    await this.until(falls, 'the object falls asleep');
  }
}

/** Returns the outcome of a call: its value, or the code of its error, or its message if it has no code. */
export async function outcome(call: PromiseLike<unknown>): Promise<unknown> {
  try {
    return await call;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    return `rejected: ${code ?? message}`;
  }
}
