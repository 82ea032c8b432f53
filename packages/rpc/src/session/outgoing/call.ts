import { RpcError } from '../../errors/rpc-error.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { locateCaller } from './call-site.ts';

/** A connection as long as it lasts: what the other side keeps for this one is lost with it. */
export interface Life {
  lost: boolean;
}

/** The frame that a call is in, while it is being written and after. */
export interface OutgoingFrame {
  readonly firstId: number;
  /** The connection that it is for. */
  life: Life;
  /** Undefined until it is finished: then its operations can no longer be referred to by their places. */
  message: Message | undefined;
  /** Its calls that are mere steps, where there are any. */
  steps: readonly Call[] | undefined;
  /** How many of its calls are to be answered: not those that are mere steps, and no signals. */
  answered: number;
  /** Whether it was handed to an open transport: it may have run. */
  sent: boolean;
  /** When it was, by the client's clock. */
  sentAt: number;
  /** When the first connection was lost over which it was sent, by the client's clock. */
  lostAt: number | undefined;
  /** How many were, as far as it may be why. */
  losses: number;
  /** Whether some of its calls are about what the connection has that it was written for. */
  isBound: boolean;
  /** Whether it was refused before, for want of a token that has not expired. */
  wasRefused: boolean;
  /** What its calls pass by reference, until it is known that the other side has read it, or never will. */
  passed: Passed[] | undefined;
}

/** Something that a call passes by reference. */
export interface Passed {
  /** Lets go of it: the other side does not know of it. */
  takeBack(reason?: RpcError): void;
}

/** Lets go of what a frame passes that the other side does not read, or not to its end. */
export function takeBackPassed(frame: OutgoingFrame, reason?: RpcError): void {
  for (const each of frame.passed ?? []) each.takeBack(reason);
  frame.passed = undefined;
}

/** Makes a frame that is to be written. */
export function newFrame(firstId: number, life: Life, message?: Message): OutgoingFrame {
  return {
    firstId,
    life,
    message,
    steps: undefined,
    answered: 0,
    sent: false,
    sentAt: 0,
    lostAt: undefined,
    losses: 0,
    isBound: false,
    wasRefused: false,
    passed: undefined,
  };
}

/**
 * How many outcomes are told through a second promise: failures, so that who waits can be found while that one rejects, and what
 * comes behind them, so that calls settle in the order of their results.
 */
let indirect = 0;

/** Has a listener told when a call settles. */
export type WhenSettled = (listener: () => void) => void;

/** One operation that this side asked for, from the moment it was made until it settled. */
export class Call {
  readonly id: number;
  /** Undefined for a call that waits to be written, or failed before it could be. */
  readonly frame: OutgoingFrame | undefined;
  /** What was called, for messages. */
  readonly name: string;
  /** Whether it is about something that the connection has that it was written for, and so cannot be made over another. */
  isBound = false;
  /** The step from whose result it reads, which the other side keeps, and what. */
  reads: { readonly step: Call; readonly path: readonly string[] } | undefined;
  /** Whether the other side has the result stored. */
  isStored = false;
  /** Whether it cannot be answered any more over another connection: what is needed for that may have been acknowledged. */
  isOver = false;
  #whenSettled: (() => void) | undefined;
  /** Whether someone waits for the result. */
  #awaited = false;
  /** Whether other operations of the frame use the result. */
  #used = false;
  /** How many of these, and of those of later frames, have not settled. */
  #users = 0;
  /** Operations of the frame whose results it uses itself. */
  #steps: readonly Call[] = [];
  #outcome: Outcome | undefined;
  #promise: Promise<unknown> | undefined;
  #made: Call | undefined;
  #deliver: ((outcome: Outcome) => void) | undefined;

  constructor(id: number, frame: OutgoingFrame | undefined, name: string) {
    this.id = id;
    this.frame = frame;
    this.name = name;
  }

  /** What it was made as, where it had to wait before it could be written; else itself. */
  get made(): Call {
    return this.#made?.made ?? this;
  }

  /** Makes it as another call, now that it can be written: what becomes of that becomes of it. */
  makeAs(made: Call): void {
    this.#made = made;
    if (this.#awaited) made.#want();
    this.#follow(made);
  }

  #follow(made: Call): void {
    if (made.outcome !== undefined) return this.settle(made.outcome);
    made.onSettled(() => {
      // A step that has ended may yet be answered.
      if (made.outcome === undefined) this.#end();
      this.#follow(made);
    });
  }

  /** What became of it; undefined until it settles. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Whether, as things are, the other side need not send the result: it is only a step to others. */
  get isStep(): boolean {
    return this.#used && !this.#awaited;
  }

  /** Whether its frame was finished saying that it is only a step: the other side keeps its result. */
  get isKept(): boolean {
    return this.isStep && this.frame?.message !== undefined && this.#outcome === undefined;
  }

  /** Whether an operation that uses the result has not settled. */
  get isUsed(): boolean {
    return this.#users > 0;
  }

  /** Has a listener told, once, when the call settles; of a step, when no operation that uses it is still to settle. */
  onSettled(listener: () => void): void {
    const before = this.#whenSettled;
    this.#whenSettled = () => {
      before?.();
      listener();
    };
  }

  /** Notes that it uses the results of other operations. */
  use(steps: readonly Call[]): void {
    this.#steps = steps;
    for (const step of steps) {
      step.#used = true;
      step.#users++;
    }
  }

  /** The promise of the result; asking for it is what makes a step of a chain be answered too. */
  promise(): Promise<unknown> {
    if (this.#promise !== undefined) return this.#promise;
    this.#want();
    this.#promise = new Promise((resolve, reject) => {
      this.#deliver = (outcome) => {
        if (outcome.ok && indirect === 0) return resolve(outcome.value);
        indirect++;
        const before = Promise.resolve().then(() => {
          if (!outcome.ok) throw locateCaller(outcome.error, this.name);
        });
        // The engine's own `resolve` leads it from the one promise to who waits for the other.
        const settled = before.then(outcome.ok ? () => resolve(outcome.value) : resolve, reject);
        void settled.then(() => indirect--);
      };
    });
    if (this.#outcome !== undefined) this.#deliver?.(this.#outcome);
    return this.#promise;
  }

  #want(): void {
    this.#awaited = true;
    if (this.#made !== undefined) this.#made.#want();
  }

  /** Sets the outcome; the first one counts. Where nobody asks for it, a failure goes unnoticed. */
  settle(outcome: Outcome): void {
    if (this.#outcome !== undefined) return;
    this.#outcome = outcome;
    this.#deliver?.(outcome);
    this.#end();
  }

  /** Tells who wanted to know that nobody waits any more; of steps, which are not answered, when all that use them have settled. */
  #end(): void {
    this.isOver ||= !this.isStored;
    const told = this.#whenSettled;
    this.#whenSettled = undefined;
    told?.();
    for (const step of this.#steps) {
      if (--step.#users === 0 && step.isStep) step.#end();
    }
    this.#steps = [];
  }
}

/** Makes a call that failed before it had a place in a frame. */
export function failedCall(name: string, error: unknown): Call {
  const call = new Call(0, undefined, name);
  call.settle({ ok: false, error });
  return call;
}

/** What a call is told whose result was lost with the connection or let go of. */
export function lostResult(name: string, why: string): RpcError {
  return new RpcError('REFERENCE_LOST', `the result of ${name}() is gone: ${why}`);
}
