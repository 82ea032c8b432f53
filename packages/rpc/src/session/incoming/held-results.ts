import type { Outcome } from '../../protocol/result-frame.ts';
import { isTarget } from '../references/by-reference.ts';

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
  /** Targets among the results, and how many results each is. */
  readonly #targets = new Map<object, number>();
  readonly #maxCount: number;
  readonly #maxBytes: number;
  readonly #letGo: (value: object) => void;
  #bytes = 0;

  /** `letGo` is told of targets that are kept no longer. */
  constructor(maxCount: number, maxBytes: number, letGo: (value: object) => void) {
    this.#maxCount = maxCount;
    this.#maxBytes = maxBytes;
    this.#letGo = letGo;
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
    if (pending instanceof Promise) pending.then((outcome) => this.#settled(id, held, outcome));
    else this.#count(pending, 1);
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

  /** Returns true if a target is a result that is kept. */
  holds(target: object): boolean {
    return this.#targets.has(target);
  }

  clear(): void {
    const all = [...this.#held.values()];
    this.#held.clear();
    this.#targets.clear();
    this.#bytes = 0;
    for (const { pending } of all) this.#letGoOf(pending);
  }

  #settled(id: number, held: Held, outcome: Outcome): void {
    held.pending = outcome;
    if (this.#held.get(id) === held) this.#count(outcome, 1);
  }

  #drop(id: number, { pending, bytes }: Held): void {
    this.#bytes -= bytes;
    this.#held.delete(id);
    if (!(pending instanceof Promise)) this.#count(pending, -1);
    this.#letGoOf(pending);
  }

  #count(outcome: Outcome, by: number): void {
    const target = targetOf(outcome);
    if (target === undefined) return;
    const count = (this.#targets.get(target) ?? 0) + by;
    if (count > 0) this.#targets.set(target, count);
    else this.#targets.delete(target);
  }

  #letGoOf(pending: Pending): void {
    if (pending instanceof Promise) return void pending.then((outcome) => this.#letGoOf(outcome));
    const target = targetOf(pending);
    if (target !== undefined) this.#letGo(target);
  }
}

function targetOf(outcome: Outcome): object | undefined {
  return outcome.ok && isTarget(outcome.value) ? outcome.value : undefined;
}
