import type { RpcError } from '../../errors/rpc-error.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Moment } from '../timer.ts';

/** Something that a frame passes. */
export interface Passed {
  /** Lets go of it: the other side does not know of it. */
  takeBack(reason?: RpcError): void;
  /** Told that the connection was lost before it was known whether the other side has read it. */
  lost?(): void;
}

/** Notes what is passed by what is being written. */
export interface Passing {
  /** Told after a value was written, or failed to be. `call`: the one that it is an argument of. Returns what was passed, if anything was. */
  written(kept: boolean, call?: Call): readonly Passed[] | undefined;
}

/** The frame that calls are in, while it is being written and after. Its calls are those of the table that name it. */
export interface OutgoingFrame {
  readonly firstId: number;
  /** The id of the last call; that of the next one where there is none. */
  lastId: number;
  /** The connection that it is for: the number of those before. */
  life: number;
  /** The half of a session that has written it. */
  readonly owner: CallOwner | undefined;
  /** Undefined until it is finished: then its operations can no longer be referred to by their places. */
  message: Message | undefined;
  /** Its calls that are mere steps, where there are any. */
  steps: readonly Call[] | undefined;
  /** Number of its calls that are to be answered: not those that are mere steps, and no signals. */
  answered: number;
  /** True once it was handed to an open transport: it may have run. */
  sent: boolean;
  /** Time at which it was sent, on a client. */
  sentAt: Moment | undefined;
  /** Time of the loss of the first connection over which it was sent. */
  lostAt: Moment | undefined;
  /** Number of connections lost of which it may be the cause. */
  losses: number;
  /** True if some of its calls are about what the connection has that it was written for. */
  isBound: boolean;
  /** True if it was refused before, for want of a token that has not expired. */
  wasRefused: boolean;
  /** Values that it passes, until the other side is known to have read it, or never to read it. */
  passed: readonly Passed[] | undefined;
}

/** Asks the half of a session that has written a call. */
interface CallOwner {
  readonly deliver: Deliver | undefined;
  /** Tells the other side that nobody waits for a call. */
  giveUp(call: Call, reason: RpcError): void;
  /** Tells the other side that it need not keep the results of these steps. */
  forget(ids: readonly number[]): void;
}

/** Makes a frame to write calls into, or one that was written. */
export function outgoingFrame(firstId: number, life: number, owner?: CallOwner, message?: Message): OutgoingFrame {
  return {
    firstId,
    lastId: firstId,
    life,
    owner,
    message,
    steps: undefined,
    answered: 0,
    sent: false,
    sentAt: undefined,
    lostAt: undefined,
    losses: 0,
    isBound: false,
    wasRefused: false,
    passed: undefined,
  };
}

/** Notes what a frame passes. */
export function pass(frame: OutgoingFrame, passed: readonly Passed[]): void {
  frame.passed = frame.passed === undefined ? passed : [...frame.passed, ...passed];
}

/** Lets go of what a frame passes: the other side does not read it, or not to its end. */
export function takeBack(frame: OutgoingFrame, reason?: RpcError): void {
  const passed = frame.passed ?? [];
  frame.passed = undefined;
  for (const each of passed) each.takeBack(reason);
}

/**
 * One operation that this side asked for, from the moment it was made until it settled. The constructor sets its fields: what
 * sets them elsewhere would be a function more for every call.
 */
export class Call {
  /** Name of what was called, for messages. */
  declare readonly name: string;
  /** Given when it is written. */
  declare id: number;
  /** Undefined for a call that waits to be written, or settles without. */
  declare frame: OutgoingFrame | undefined;
  /** Its outcome; undefined until it settles. */
  declare outcome: Outcome | undefined;
  /** True if it is about something that the connection has that it was written for, and so cannot be made over another. */
  declare isBound: boolean;
  /** The node that it reads, where that is of a step whose result the other side keeps. */
  declare reads: object | undefined;
  /** True once all that used the result of a step had settled: unless it is stored, it cannot be answered over another connection. */
  declare isOver: boolean;
  /** True if, as things are, the other side need not send the result: it is only a step to others. */
  declare isStep: boolean;
  /** Number of unsettled operations that use the result, in its frame and in later ones. */
  declare private users: number;
  /** Operations whose results it uses itself. */
  declare private uses: readonly Call[] | undefined;
  /** Promise of whoever waits for the result. */
  declare private waiter: PromiseWithResolvers<unknown> | undefined;
  declare private whenSettled: (() => void) | undefined;

  constructor(name: string) {
    this.name = name;
    this.id = this.users = 0;
    this.frame = this.outcome = this.reads = undefined;
    this.isBound = this.isOver = this.isStep = false;
    this.uses = this.waiter = this.whenSettled = undefined;
  }

  /** True if its frame was finished saying that it is only a step: the other side keeps its result. */
  get isKept(): boolean {
    return this.isStep && this.frame?.message !== undefined && this.outcome === undefined;
  }

  /** True if an operation that uses the result has not settled. */
  get isUsed(): boolean {
    return this.users > 0;
  }

  /** Notes that it uses the results of other operations. */
  use(calls: readonly Call[]): void {
    this.uses = calls;
    for (const call of calls) {
      call.isStep = call.waiter === undefined;
      call.users++;
    }
  }

  /** Has a listener told, once, when the call settles; of a step, when no operation that uses it is still to settle. */
  onSettled(listener: () => void): void {
    const before = this.whenSettled;
    this.whenSettled = () => {
      before?.();
      listener();
    };
  }

  /** Returns the promise of the result; asking for it is what makes a step of a chain be answered too. */
  promise(): Promise<unknown> {
    if (this.waiter === undefined) {
      this.isStep = false;
      this.waiter = Promise.withResolvers();
      if (this.outcome !== undefined) this.tell(this.outcome, this.waiter);
    }
    return this.waiter.promise;
  }

  /** Sets the outcome; the first one counts. Where nobody asks for it, a failure goes unnoticed. */
  settle(outcome: Outcome): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    const { waiter } = this;
    // The usual one.
    if (outcome.ok && delayed.outcomes === 0) waiter?.resolve(outcome.value);
    else if (waiter !== undefined) this.tell(outcome, waiter);
    if (this.uses !== undefined || this.whenSettled !== undefined) this.end();
  }

  fail(error: unknown): void {
    this.settle({ ok: false, error });
  }

  /** Gives it up: it fails, and the other side is told if it knows of it. */
  giveUp(reason: RpcError): void {
    this.frame?.owner?.giveUp(this, reason);
    this.fail(reason);
  }

  /** Lets go of the result. */
  dispose(): void {
    if (this.isKept) return this.frame!.owner!.forget([this.id]);
    this.promise().then(
      (value) => (value as Partial<Disposable> | undefined)?.[Symbol.dispose]?.(),
      () => {}, // what failed has nothing to let go of
    );
  }

  private tell(outcome: Outcome, waiter: PromiseWithResolvers<unknown>): void {
    (this.frame?.owner?.deliver ?? deliver)(outcome, waiter, this.name);
  }

  /** Tells who wanted to know that nobody waits any more; of steps, which are not answered, when all that use them have settled. */
  private end(): void {
    this.isOver = true;
    const told = this.whenSettled;
    this.whenSettled = undefined;
    told?.();
    const uses = this.uses ?? [];
    this.uses = undefined;
    for (const step of uses) if (--step.users === 0 && step.isStep) step.end();
  }
}

/** Settles the promise of a result. */
export type Deliver = (outcome: Outcome, waiter: PromiseWithResolvers<unknown>, name: string) => void;

/**
 * Number of outcomes that are being told later: those behind them are too, so that calls settle in the order of their
 * results.
 */
export const delayed = { outcomes: 0 };

const deliver: Deliver = (outcome, { resolve, reject }) =>
  outcome.ok ? resolve(outcome.value) : reject(outcome.error);
