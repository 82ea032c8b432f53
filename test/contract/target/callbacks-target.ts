import { ReferencesTarget } from './references-target.ts';

/** A function of the client as the server has it. */
type Callback = (...args: never[]) => unknown;
type Called = (...args: unknown[]) => Promise<unknown>;

/** The part of the contract's target that cases about callbacks use. */
export class CallbacksTarget extends ReferencesTarget {
  readonly #listeners: Called[] = [];

  async callWith(callback: Callback, ...args: unknown[]): Promise<unknown> {
    return (callback as Called)(...args);
  }

  /** Calls without waiting in between, with 0, 1, 2, …. */
  callTimes(callback: Callback, times: number): Promise<unknown[]> {
    return Promise.all(Array.from({ length: times }, (_, index) => (callback as Called)(index)));
  }

  /** Calls first one, then the other, and waits for both. */
  callBoth(one: Callback, other: Callback): Promise<unknown[]> {
    return Promise.all([(one as Called)(), (other as Called)()]);
  }

  async whatItThrows(callback: Callback): Promise<unknown> {
    try {
      return { returned: await (callback as Called)() };
    } catch (error) {
      const { name, message } = error as Error;
      return { isRangeError: error instanceof RangeError, name, message };
    }
  }

  /** Returns first and calls then. */
  callAfterwards(callback: Callback, times: number): string {
    const kept = this.keep(callback as Called);
    void (async () => {
      for (let time = 0; time < times; time++) await kept(time);
    })();
    return 'returned';
  }

  async callInData(data: { deep: { callback: Callback }[] }): Promise<unknown> {
    return (data.deep[0].callback as Called)('in data');
  }

  async callInMap(callbacks: Map<string, Callback>): Promise<unknown> {
    return (callbacks.get('callback') as Called)('in a Map');
  }

  async incrementWhatItReturns(callback: Callback): Promise<unknown> {
    const counter = (await (callback as Called)()) as { increment(by: number): Promise<number> };
    return counter.increment(10);
  }

  async callWithCounter(callback: Callback): Promise<unknown> {
    return (callback as Called)(this.counter(20));
  }

  async typeOfCallback(callback: Callback): Promise<string> {
    return typeof callback;
  }

  listen(callback: Callback): void {
    this.#listeners.push(this.keep(callback as Called));
  }

  /** Calls all listeners and returns what they returned. */
  tell(event: unknown): Promise<unknown[]> {
    return Promise.all(this.#listeners.map((listener) => listener(event)));
  }

  /** Calls all listeners without waiting for them. */
  tellOnly(event: unknown): void {
    for (const listener of this.#listeners) listener(event).catch(() => {}); // the client may be gone
  }

  async readUndeclared(reference: Record<string, unknown>, name: string): Promise<unknown> {
    return reference[name];
  }

  async callUndeclared(reference: Record<string, Called>, name: string): Promise<unknown> {
    return reference[name]();
  }
}
