/** What Cap'n Web makes of a function that a client passed. */
export interface Callback<Args extends unknown[]> {
  (...args: Args): Disposable;
  dup(): Callback<Args>;
  onRpcBroken(broken: () => void): void;
}

/**
 * The functions that clients of Cap'n Web have passed, kept to be called. Nobody waits for what they return, which saves
 * Cap'n Web two of four frames a call.
 */
export class Callbacks<Args extends unknown[]> {
  readonly #kept = new Set<Callback<Args>>();

  add(callback: Callback<Args>): void {
    // What is passed to a call is let go of at its end.
    const kept = callback.dup();
    this.#kept.add(kept);
    kept.onRpcBroken(() => this.#kept.delete(kept));
  }

  callAll(...args: Args): void {
    for (const callback of this.#kept) callback(...args)[Symbol.dispose]();
  }
}
