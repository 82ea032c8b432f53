import { RpcError } from '../errors/rpc-error.ts';
import type { Outcome } from '../protocol/result-frame.ts';

/** The frame that a call is in, while it is being written and after. */
export interface OutgoingFrame {
  readonly firstId: number;
  /** Whether it was finished: its operations can no longer be referred to. */
  sealed: boolean;
  /** Whether it was handed to an open transport: it may have run. */
  sent: boolean;
}

/** One operation that this client asked for, from the moment it was made until it settled. */
export class Call {
  readonly id: number;
  readonly frame: OutgoingFrame;
  /** What was called, for messages. */
  readonly name: string;
  /** Whether someone waits for the result. */
  #awaited = false;
  /** Whether other operations of the frame use the result. */
  #used = false;
  #outcome: Outcome | undefined;
  #promise: Promise<unknown> | undefined;
  #settlers: { resolve(value: unknown): void; reject(error: unknown): void } | undefined;

  constructor(id: number, frame: OutgoingFrame, name: string) {
    this.id = id;
    this.frame = frame;
    this.name = name;
  }

  /** The place among the operations of its frame. */
  get index(): number {
    return this.id - this.frame.firstId;
  }

  /** Whether the server need not send the result: it is only a step to others. */
  get unanswered(): boolean {
    return this.#used && !this.#awaited;
  }

  /** Notes that another operation of the frame uses the result. */
  use(): void {
    this.#used = true;
  }

  /** The promise of the result; asking for it is what makes a step of a chain be answered too. */
  promise(): Promise<unknown> {
    if (this.#promise !== undefined) return this.#promise;
    if (this.frame.sealed && this.unanswered) {
      this.settle({
        ok: false,
        error: new RpcError(
          'REFERENCE_LOST',
          `the result of ${this.name}() was only used for further calls; await it in the same turn to have it as well`,
        ),
      });
    }
    this.#awaited = true;
    const outcome = this.#outcome;
    if (outcome !== undefined) {
      this.#promise = outcome.ok ? Promise.resolve(outcome.value) : Promise.reject(outcome.error);
    } else {
      this.#promise = new Promise((resolve, reject) => {
        this.#settlers = { resolve, reject };
      });
    }
    return this.#promise;
  }

  /** Sets the outcome; the first one counts. Where nobody asks for it, a failure goes unnoticed. */
  settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    if (outcome.ok) this.#settlers?.resolve(outcome.value);
    else this.#settlers?.reject(outcome.error);
    this.#settlers = undefined;
  }
}
