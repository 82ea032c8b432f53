import { expectAnswer } from '../scenarios/scenario.ts';
import type { GatewayConnection, Session, SessionListener } from './gateway.ts';

/**
 * Those who listen to one gateway, each on a connection of its own. Each has to be told of every session once, in order and as
 * it was answered: else whoever waits is told.
 */
export class Listeners {
  readonly #connections: GatewayConnection[] = [];
  readonly #heard: Session[][] = [];
  /** How many sessions everybody has to have heard of. */
  #awaited = 0;
  #all = awaitable();
  #failure: Error | undefined;
  #madeAt = 0;
  #samplesMs: number[] = [];

  /** Opens `size` connections with `open` and lets them listen. */
  static async open(size: number, open: () => Promise<GatewayConnection>): Promise<Listeners> {
    const listeners = new Listeners();
    try {
      for (let i = 0; i < size; i++) await listeners.#add(await open(), i);
      return listeners;
    } catch (error) {
      listeners.close();
      throw error;
    }
  }

  /** Notes that one more session is made now; what it takes until each has heard of it goes to `samplesMs`. */
  making(samplesMs: number[]): void {
    this.#madeAt = performance.now();
    this.#samplesMs = samplesMs;
    this.#awaited++;
    this.#all = awaitable();
    if (this.#failure) this.#all.reject(this.#failure);
  }

  /** Resolves when all have heard of what `making` was told of; rejects where one was told something else. */
  get everyone(): Promise<void> {
    return this.#all.promise;
  }

  /** Throws unless the newest that each has heard of is this one. */
  expectNewest(session: Session): void {
    const expected = textOf(session);
    for (const heard of this.#heard) expectAnswer('what a listener heard', textOf(heard[heard.length - 1]), expected);
  }

  /** The connection of one of them. */
  get anyone(): GatewayConnection {
    return this.#connections[0];
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  async #add(connection: GatewayConnection, i: number): Promise<void> {
    this.#connections.push(connection);
    this.#heard.push([]);
    await connection.listen(this.#listener(i));
  }

  #listener(i: number): SessionListener {
    const heard = this.#heard[i];
    const fail = (reason: unknown) => {
      this.#failure ??= new Error(`listener ${i + 1}, after session ${heard.length}: ${String(reason)}`);
      this.#all.reject(this.#failure);
    };
    return {
      fail,
      created: (session) => {
        this.#samplesMs.push(performance.now() - this.#madeAt);
        heard.push(session);
        if (heard.length > this.#awaited) return fail('a session that nobody has made, or twice the same');
        if (this.#heard.every(({ length }) => length === this.#awaited)) this.#all.resolve();
      },
    };
  }
}

/** A promise that nobody has to wait for: whoever does hears of what went wrong. */
function awaitable(): PromiseWithResolvers<void> {
  const resolvers = Promise.withResolvers<void>();
  resolvers.promise.catch(() => {});
  return resolvers;
}

/** Field by field: some libraries add a way to dispose of what they pass. */
function textOf(session: Session | undefined): string {
  return JSON.stringify([session?.id, session?.title, session?.agent, session?.owner, session?.createdAt]);
}
