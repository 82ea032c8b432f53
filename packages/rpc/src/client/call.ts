import { RpcError } from '../errors/rpc-error.ts';
import type { Outcome } from '../protocol/result-frame.ts';

/** The frame that a call is in, while it is being written and after. */
export interface OutgoingFrame {
  readonly firstId: number;
  /** Undefined until it is finished: then its operations can no longer be referred to. */
  bytes: Uint8Array<ArrayBuffer> | undefined;
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
  #deliver: ((outcome: Outcome) => void) | undefined;

  constructor(id: number, frame: OutgoingFrame, name: string) {
    this.id = id;
    this.frame = frame;
    this.name = name;
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
    if (this.frame.bytes !== undefined && this.unanswered) {
      const message = `await ${this.name}() in the turn it is called in`;
      this.settle({ ok: false, error: new RpcError('REFERENCE_LOST', message) });
    }
    this.#awaited = true;
    this.#promise = new Promise((resolve, reject) => {
      this.#deliver = (outcome) => (outcome.ok ? resolve(outcome.value) : reject(outcome.error));
    });
    if (this.#outcome !== undefined) this.#deliver?.(this.#outcome);
    return this.#promise;
  }

  /** Sets the outcome; the first one counts. Where nobody asks for it, a failure goes unnoticed. */
  settle(outcome: Outcome): void {
    this.#outcome ??= outcome;
    this.#deliver?.(this.#outcome);
  }
}
