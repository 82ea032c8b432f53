import type { Random } from '@lumenize/hosts/random';
import { type ConnectOptions, connect, connection, RpcError, type Stub, withOptions } from '@lumenize/rpc';
import type { ChaosCalls } from './chaos-calls.ts';
import type { History, Method } from './history.ts';

/** Options of clients. They notice losses and reconnect sooner than by default, so that a run covers more of them. */
export const PATIENCE = {
  maxWaitMs: 4000,
  reconnect: { minDelayMs: 20, maxDelayMs: 500, stableMs: 1000 },
  heartbeat: { intervalMs: 500, timeoutMs: 1000 },
} as ConnectOptions;

/** Number of turns that a client has in progress at once. */
const LANES = 3;
/** The longest wait after a turn in which no call succeeded. */
const LONGEST_REST_MS = 60;

/** Options of a client. */
export interface ClientOptions {
  /** The number that its calls pass. */
  client: number;
  url: string;
  patience: ConnectOptions;
  history: History;
  random: Random;
  /** The most calls that it makes in one turn. */
  mostCallsPerTurn: number;
  /** Returns true if the client makes another turn. */
  goesOn: () => boolean;
}

/** A client that calls without pause, and records the outcome of each call. */
export class ChaosClient implements Disposable {
  readonly #options: ClientOptions;
  readonly #stub: Stub<ChaosCalls>;
  readonly #pending = new Set<Promise<void>>();
  #made = 0;
  #whenAnswered: ((ms: number) => void) | undefined;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.#stub = connect<ChaosCalls>(options.url, options.patience);
  }

  /** Makes calls until `goesOn` returns false. Some of them may not have settled by then. */
  async run(): Promise<void> {
    await Promise.all(Array.from({ length: LANES }, () => this.#lane()));
  }

  /** Resolves when all calls have settled. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }

  /** Resolves to the time in milliseconds until a call that is made from now on succeeds. */
  answered(): Promise<number> {
    const since = performance.now();
    const { promise, resolve } = Promise.withResolvers<number>();
    this.#whenAnswered = (begun) => begun >= since && resolve(performance.now() - since);
    return promise;
  }

  get state(): string {
    return connection(this.#stub).state;
  }

  [Symbol.dispose](): void {
    connection(this.#stub).close();
  }

  async #lane(): Promise<void> {
    const { random, mostCallsPerTurn, goesOn } = this.#options;
    while (goesOn()) {
      // Usually a few calls, sometimes many.
      const calls = Math.ceil(mostCallsPerTurn ** random());
      const succeeded = await Promise.all(Array.from({ length: calls }, () => this.#call()));
      if (!succeeded.includes(true)) {
        await new Promise((resolve) => setTimeout(resolve, random() * LONGEST_REST_MS));
      }
    }
  }

  /** Makes a call. Resolves when it has settled, to true if it succeeded. */
  #call(): Promise<boolean> {
    const { client, history, random } = this.#options;
    const method = drawMethod(random);
    const timeoutMs = random() < 0.2 ? Math.ceil(3000 ** random()) : undefined;
    const call = history.begin(method, client, ++this.#made, timeoutMs);
    const stub = timeoutMs === undefined ? this.#stub : withOptions(this.#stub, { timeoutMs });
    const begun = performance.now();
    const result =
      method === 'increment' || method === 'bump' ? stub[method](client, call.n) : (stub[method]() as Promise<number>);
    const settled = result.then(
      (value) => {
        call.value = value;
        history.end(call, 'succeeded', performance.now() - begun);
        this.#whenAnswered?.(begun);
        return true;
      },
      (error: unknown) => {
        call.message = String(error);
        history.end(call, error instanceof RpcError ? error.code : 'threw', performance.now() - begun);
        return false;
      },
    );
    const pending = settled.then(() => void this.#pending.delete(pending));
    this.#pending.add(pending);
    return settled;
  }
}

function drawMethod(random: Random): Method {
  const drawn = random();
  if (drawn < 0.55) return 'increment';
  if (drawn < 0.8) return 'getValue';
  return drawn < 0.98 ? 'bump' : 'version';
}
