/** Receives the items of one listener. */
export interface Hearer<Item> {
  hear(item: Item): void;
  /** Called if nothing more can arrive, or if an item was left out. */
  fail(reason: unknown): void;
}

/**
 * Clients that are told of the actions of another client, each on a connection of its own. Each must receive every item
 * once, in order and unchanged. Otherwise the pending or next `listen` rejects.
 */
export class Hearers<Item> {
  readonly #who: string;
  readonly #connections: { close(): void }[] = [];
  /** The items that each client has received since `listen`. */
  #heard: Item[][] = [];
  /** The number of items that have not arrived yet, for all clients together. */
  #missing = 0;
  #at = 0;
  #samplesMs: number[] = [];
  #all = Promise.withResolvers<void>();
  #failure: Error | undefined;

  /** Creates the clients. `who` is the name of one of them in errors: a subscriber, a listener. */
  constructor(who: string) {
    this.#who = who;
  }

  /**
   * Adds a client when it is open. `listen` subscribes it to everything that happens from then on. It is closed with
   * the others.
   */
  async add<Opened extends { close(): void }>(
    open: Promise<Opened>,
    listen: (opened: Opened, hearer: Hearer<Item>) => Promise<void>,
  ): Promise<void> {
    const opened = await open;
    const at = this.#connections.push(opened) - 1;
    this.#heard[at] = [];
    const fail = (reason: unknown) => this.#fail(`${this.#who} ${at + 1}: ${String(reason)}`);
    const hear = (item: Item) => {
      this.#samplesMs.push(performance.now() - this.#at);
      this.#heard[at].push(item);
      if (--this.#missing === 0) this.#all.resolve();
      else if (this.#missing < 0) fail('was told of what nobody did, or twice of the same');
    };
    await listen(opened, { hear, fail });
  }

  /**
   * Runs `act`, which does `count` things, and returns its result, with the time in ms until it is done and all items
   * have arrived. The time of each delivery goes to `samplesMs`. Rejects if a client receives other items than `act`
   * returns.
   */
  async listen<Outcome extends { readonly items: readonly Item[] }>(
    count: number,
    samplesMs: number[],
    act: () => Promise<Outcome>,
  ): Promise<Outcome & { readonly everyoneMs: number }> {
    this.#heard = this.#heard.map(() => []);
    this.#missing = count * this.#connections.length;
    this.#samplesMs = samplesMs;
    this.#all = Promise.withResolvers();
    if (this.#failure) this.#all.reject(this.#failure);
    this.#at = performance.now();
    const [outcome] = await Promise.all([act(), this.#all.promise]);
    const everyoneMs = performance.now() - this.#at;
    for (const [at, heard] of this.#heard.entries()) {
      const other = outcome.items.findIndex((item, i) => !isSame(heard[i], item));
      if (other < 0 && heard.length === outcome.items.length) continue;
      const [came, expected] = [heard[other] ?? heard.at(-1), outcome.items[other]];
      this.#fail(`${this.#who} ${at + 1} heard ${JSON.stringify(came)}, not ${JSON.stringify(expected)}`);
      throw this.#failure;
    }
    return { ...outcome, everyoneMs };
  }

  close(): void {
    for (const connection of this.#connections) connection.close();
  }

  #fail(message: string): void {
    this.#failure ??= new Error(message);
    // Rejects the current wait. If there is none, the next one rejects.
    this.#all.promise.catch(() => {});
    this.#all.reject(this.#failure);
  }
}

/** Compares field by field, because some libraries add a method to dispose of the objects that they pass. */
function isSame(heard: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return heard === expected;
  if (typeof heard !== 'object' || heard === null) return false;
  return Object.entries(expected).every(([name, each]) => isSame((heard as Record<string, unknown>)[name], each));
}
