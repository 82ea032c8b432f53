import type { Outcome } from '../../protocol/result-frame.ts';
import { isTarget } from '../references/by-reference.ts';
import type { Holders } from '../references/exports.ts';

/** The outcome of an operation, or a promise of it, which never rejects. */
export type Pending = Outcome | Promise<Outcome>;

interface Held {
  pending: Pending;
  readonly bytes: number;
  /** How often it is to be forgotten until it is. */
  users: number;
}

/**
 * Results of operations that were only steps, kept in case the caller goes on from them in a later turn. The oldest are
 * dropped when there are too many, or when the frames that they came from were too large in all: what a stranger can make
 * this side keep is bounded, and an honest caller awaits what it wants to keep for long.
 */
export class HeldResults {
  readonly #held = new Map<number, Held>();
  readonly #maxCount: number;
  readonly #maxBytes: number;
  readonly #holders: Holders;
  #bytes = 0;

  /** `holders` counts the targets among the results. */
  constructor(maxCount: number, maxBytes: number, holders: Holders) {
    this.#maxCount = maxCount;
    this.#maxBytes = maxBytes;
    this.#holders = holders;
  }

  get size(): number {
    return this.#held.size;
  }

  /** Keeps what became of a call, until it was forgotten as often; `bytes` is its share of the frame that it came in. */
  hold(id: number, pending: Pending, bytes: number): void {
    const known = this.#held.get(id);
    if (known?.pending === pending) return void known.users++;
    if (known !== undefined) this.#drop(id, known);
    const held: Held = { pending, bytes, users: 1 };
    this.#held.set(id, held);
    this.#bytes += bytes;
    whenSettled(pending, (outcome, target) => {
      held.pending = outcome;
      if (target !== undefined) this.#holders.retain(target);
    });
    while (this.#held.size > this.#maxCount || this.#bytes > this.#maxBytes) {
      this.forget(this.#held.keys().next().value!);
    }
  }

  get(id: number): Pending | undefined {
    return this.#held.get(id)?.pending;
  }

  forget(id: number): void {
    const held = this.#held.get(id);
    if (held !== undefined && --held.users === 0) this.#drop(id, held);
  }

  clear(): void {
    for (const [id, held] of this.#held) this.#drop(id, held);
  }

  #drop(id: number, { pending, bytes }: Held): void {
    this.#bytes -= bytes;
    this.#held.delete(id);
    // It is retained by then.
    whenSettled(pending, (_outcome, target) => {
      if (target !== undefined) this.#holders.release(target);
    });
  }
}

/** Acts on what has become of a call, at once where that is known; `target`: its result, where that is one. */
function whenSettled(pending: Pending, act: (outcome: Outcome, target: object | undefined) => void): void {
  if (pending instanceof Promise) pending.then((outcome) => whenSettled(outcome, act));
  else act(pending, pending.ok && isTarget(pending.value) ? pending.value : undefined);
}
