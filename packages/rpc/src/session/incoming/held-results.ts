import type { Outcome } from '../../protocol/result-frame.ts';

/** The outcome of an operation, or a promise of it, which never rejects. */
export type Pending = Outcome | Promise<Outcome>;

/**
 * Results of operations that were only steps, kept in case the caller goes on from them in a later turn. The oldest are
 * dropped when there are too many, or when the frames that they came from were too large in all: what a stranger can make
 * this side keep is bounded, and an honest caller awaits what it wants to keep for long.
 */
export class HeldResults {
  readonly #held = new Map<number, { pending: Pending; bytes: number }>();
  readonly #maxCount: number;
  readonly #maxBytes: number;
  #bytes = 0;

  constructor(maxCount: number, maxBytes: number) {
    this.#maxCount = maxCount;
    this.#maxBytes = maxBytes;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Keeps what became of a call; `bytes` is its share of the frame that it came in. */
  hold(id: number, pending: Pending, bytes: number): void {
    this.#held.set(id, { pending, bytes });
    this.#bytes += bytes;
    while (this.#held.size > this.#maxCount || this.#bytes > this.#maxBytes) {
      this.forget(this.#held.keys().next().value!);
    }
  }

  get(id: number): Pending | undefined {
    return this.#held.get(id)?.pending;
  }

  forget(id: number): void {
    const held = this.#held.get(id);
    if (held === undefined) return;
    this.#bytes -= held.bytes;
    this.#held.delete(id);
  }

  clear(): void {
    this.#held.clear();
    this.#bytes = 0;
  }
}
