/** Receives what one of many is told. */
export interface Hearer<Item> {
  hear(item: Item): void;
  /** Called where nothing more can come, or something was left out. */
  fail(reason: unknown): void;
}

/**
 * Those who hear of what somebody else does, each on a connection of its own. Each has to be told of everything once, in
 * order and as it was: else whoever waits for it is told.
 */
export class Hearers<Item> {
  readonly #who: string;
  readonly #connections: { close(): void }[] = [];
  /** All that each has heard since `listen`. */
  #heard: Item[][] = [];
  /** Number of times that one of them has still to hear of something. */
  #missing = 0;
  #at = 0;
  #samplesMs: number[] = [];
  #all = Promise.withResolvers<void>();
  #failure: Error | undefined;

  /** `who` is what each of them is called in an error: a subscriber, a listener. */
  constructor(who: string) {
    this.#who = who;
  }

  /** Adds one when it is open, which `listen` has told of what happens from then on; it is closed with the others. */
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
   * Lets `act` do `count` things and returns what it returns, with the time in ms until it is done and all have heard; what it
   * takes until each has heard of each goes to `samplesMs`. Rejects where somebody has heard something else than `act` says.
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
    // Whoever waits hears of it; else whoever does next.
    this.#all.promise.catch(() => {});
    this.#all.reject(this.#failure);
  }
}

/** Compares field by field: some libraries add a way to dispose of what they pass. */
function isSame(heard: unknown, expected: unknown): boolean {
  if (typeof expected !== 'object' || expected === null) return heard === expected;
  if (typeof heard !== 'object' || heard === null) return false;
  return Object.entries(expected).every(([name, each]) => isSame((heard as Record<string, unknown>)[name], each));
}
