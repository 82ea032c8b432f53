import type { Outcome } from '../../protocol/result-frame.ts';

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
  readonly #letGo: (value: object) => void;
  #bytes = 0;

  /** `letGo` is told of what is kept no longer. */
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
    if (pending instanceof Promise) pending.then((outcome) => (held.pending = outcome));
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

  /** Whether a value is a result that is kept. */
  holds(value: object): boolean {
    return [...this.#held.values()].some(({ pending }) => valueOf(pending) === value);
  }

  clear(): void {
    const all = [...this.#held.values()];
    this.#held.clear();
    this.#bytes = 0;
    for (const { pending } of all) this.#dropped(pending);
  }

  #drop(id: number, { pending, bytes }: Held): void {
    this.#bytes -= bytes;
    this.#held.delete(id);
    this.#dropped(pending);
  }

  #dropped(pending: Pending): void {
    if (pending instanceof Promise) return void pending.then((outcome) => this.#dropped(outcome));
    const value = valueOf(pending);
    if (value !== undefined) this.#letGo(value);
  }
}

function valueOf(pending: Pending): object | undefined {
  if (pending instanceof Promise || !pending.ok) return undefined;
  return typeof pending.value === 'object' && pending.value !== null ? pending.value : undefined;
}
