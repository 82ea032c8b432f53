import type { RpcError } from '../../errors/rpc-error.ts';
import type { Message } from '../../protocol/message.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Signal } from '../../protocol/signal.ts';
import type { Moment } from '../timer.ts';

/** A value that a frame passes by reference. */
export interface Passed {
  /**
   * Releases the value, because the peer does not know of it. A value that was not written is still its owner's, and
   * may be written again later.
   */
  takeBack(wasWritten: boolean, reason?: RpcError): void;
  /** Called when the connection was lost before an answer showed that the peer has read the value. */
  lost?(): void;
}

/**
 * A frame of calls, while it is being written and afterwards. Its calls are the calls in the table that refer to it.
 */
export interface OutgoingFrame {
  readonly firstId: number;
  /** The id of the last call, or the id of the next call if the frame has none. */
  lastId: number;
  /** The number of the connection that the frame is for, counted from 0. */
  life: number;
  /** The half of a session that wrote the frame. */
  readonly owner: CallOwner | undefined;
  /**
   * The finished frame; undefined until then. Once it is finished, its operations can no longer be referred to by
   * place.
   */
  message: Message | undefined;
  /** The calls of the frame that are only steps; undefined if there are none. */
  steps: readonly Call[] | undefined;
  /**
   * The calls that were given up, with the signals that say so. If the calls of a frame are moved apart, the new frames
   * share the list.
   */
  readonly givenUp: [Call, Signal][];
  /** The number of calls to be answered, without steps and signals. */
  answered: number;
  /**
   * True once the frame was handed to an open transport, so that its calls may have run. False again while they are
   * known not to have run.
   */
  sent: boolean;
  /** The time at which the frame was sent, on a client. */
  sentAt: Moment | undefined;
  /** The time at which the first connection that carried the frame was lost. */
  lostAt: Moment | undefined;
  /** The number of lost connections that the frame may be the cause of. */
  losses: number;
  /** True if some of its calls use something that exists only on the connection that the frame was written for. */
  isBound: boolean;
  /** The signals in it that are about the connection that it was written for. */
  readonly signals: Signal[];
  /** True if the frame was refused before, because the token had expired. */
  wasRefused: boolean;
  /**
   * The values that the frame passes by reference, until the peer is known to have read the frame, or never to read it.
   */
  passed: readonly Passed[] | undefined;
}

/** The half of a session that wrote a call, as the call sees it. */
interface CallOwner {
  readonly deliver: Deliver | undefined;
  /** Tells the peer that nobody waits for a call. */
  giveUp(call: Call, reason: RpcError): void;
  /** Tells the peer that it need not keep the results of these steps. */
  forget(ids: readonly number[]): void;
}

/** Creates a frame to write calls into, or one that is already written. */
export function outgoingFrame(firstId: number, life: number, owner?: CallOwner, message?: Message): OutgoingFrame {
  return {
    firstId,
    lastId: firstId,
    life,
    owner,
    message,
    steps: undefined,
    givenUp: [],
    answered: 0,
    sent: false,
    sentAt: undefined,
    lostAt: undefined,
    losses: 0,
    isBound: false,
    signals: [],
    wasRefused: false,
    passed: undefined,
  };
}

/** Notes the values that a frame passes by reference. */
export function pass(frame: OutgoingFrame, passed: readonly Passed[]): void {
  frame.passed = frame.passed === undefined ? passed : [...frame.passed, ...passed];
}

/** Releases the values that a frame passes, because the peer does not read the frame, or does not read all of it. */
export function takeBack(frame: OutgoingFrame, reason?: RpcError): void {
  const passed = frame.passed ?? [];
  frame.passed = undefined;
  for (const each of passed) each.takeBack(true, reason);
}

/** Returns true if a call that has not settled uses a step of a frame. */
export function hasUsedSteps({ steps = [] }: OutgoingFrame): boolean {
  return steps.some(({ isUsed }) => isUsed);
}

/**
 * One operation that this side asked for, from the time it is made until it settles. The constructor sets the fields:
 * field initializers would cost one more function for every call.
 */
export class Call {
  /** The name of the member that was called, for messages. */
  declare readonly name: string;
  /** Assigned when the call is written. */
  declare id: number;
  /** Undefined while the call waits to be written, or if it settles without being written. */
  declare frame: OutgoingFrame | undefined;
  /** The outcome of the call; undefined until it settles. */
  declare outcome: Outcome | undefined;
  /**
   * True if the call uses something that exists only on the connection that it was written for, so that it cannot be
   * made over another one.
   */
  declare isBound: boolean;
  /** The node that the call reads, if the node starts from a step whose result the peer keeps. */
  declare reads: object | undefined;
  /**
   * True once all calls that used the result of a step have settled. After that, the step cannot be answered over
   * another connection, unless its result is stored.
   */
  declare isOver: boolean;
  /** True if at present only other operations use the result, so that the peer need not send it. */
  declare isStep: boolean;
  /** The number of unsettled operations that use the result, in its frame and in later ones. */
  declare private users: number;
  /** The operations whose results this call uses. */
  declare private uses: readonly Call[] | undefined;
  /** The promise of the result, if anyone waits for it. */
  declare private waiter: PromiseWithResolvers<unknown> | undefined;
  declare private whenSettled: (() => void) | undefined;

  constructor(name: string) {
    this.name = name;
    this.id = this.users = 0;
    this.frame = this.outcome = this.reads = undefined;
    this.isBound = this.isOver = this.isStep = false;
    this.uses = this.waiter = this.whenSettled = undefined;
  }

  /** True if the finished frame says that the call is only a step, so that the peer keeps its result. */
  get isKept(): boolean {
    return this.isStep && this.frame?.message !== undefined && this.outcome === undefined;
  }

  /** True if an operation that uses the result has not settled. */
  get isUsed(): boolean {
    return this.users > 0;
  }

  /** Notes that this call uses the results of other operations. */
  use(calls: readonly Call[]): void {
    this.uses = calls;
    for (const call of calls) {
      call.isStep = call.waiter === undefined;
      call.users++;
    }
  }

  /**
   * Calls a listener once, when the call settles. For a step, calls it when all operations that use the step have
   * settled.
   */
  onSettled(listener: () => void): void {
    const before = this.whenSettled;
    this.whenSettled = () => {
      before?.();
      listener();
    };
  }

  /**
   * Returns the promise of the result. Asking for it makes the peer answer a call that would otherwise be only a step.
   */
  promise(): Promise<unknown> {
    if (this.waiter === undefined) {
      this.isStep = false;
      this.waiter = Promise.withResolvers();
      if (this.outcome !== undefined) this.tell(this.outcome, this.waiter);
    }
    return this.waiter.promise;
  }

  /** Sets the outcome. Only the first one counts. If nobody asks for the result, a failure goes unnoticed. */
  settle(outcome: Outcome): void {
    if (this.outcome !== undefined) return;
    this.outcome = outcome;
    const { waiter } = this;
    // The most common case.
    if (outcome.ok && delayed.outcomes === 0) waiter?.resolve(outcome.value);
    else if (waiter !== undefined) this.tell(outcome, waiter);
    if (this.uses !== undefined || this.whenSettled !== undefined) this.end();
  }

  fail(error: unknown): void {
    this.settle({ ok: false, error });
  }

  /** Gives up the call: rejects it, and tells the peer if it knows of the call. */
  giveUp(reason: RpcError): void {
    this.frame?.owner?.giveUp(this, reason);
    this.fail(reason);
  }

  /** Releases the result. */
  dispose(): void {
    if (this.isKept) return this.frame!.owner!.forget([this.id]);
    this.promise().then(
      (value) => (value as Partial<Disposable> | undefined)?.[Symbol.dispose]?.(),
      () => {}, // a failed call has nothing to release
    );
  }

  private tell(outcome: Outcome, waiter: PromiseWithResolvers<unknown>): void {
    (this.frame?.owner?.deliver ?? deliver)(outcome, waiter, this.name);
  }

  /**
   * Calls the listeners, because nobody waits for the call any more. Also ends the steps, and the calls that were given
   * up, that no other unsettled call uses, because they are not answered.
   */
  private end(): void {
    this.isOver = true;
    const told = this.whenSettled;
    this.whenSettled = undefined;
    told?.();
    // A call that was given up still runs for the calls that use its result, and needs what it uses until they end.
    if (this.isUsed && this.outcome?.ok === false) return;
    const uses = this.uses ?? [];
    this.uses = undefined;
    for (const used of uses) if (--used.users === 0 && (used.isStep || used.outcome !== undefined)) used.end();
  }
}

/** Settles the promise of a result. */
export type Deliver = (outcome: Outcome, waiter: Waiter, name: string) => void;

/** The functions that settle a promise. */
export interface Waiter {
  resolve(value: unknown): void;
  reject(reason: unknown): void;
}

/**
 * The number of outcomes that are delivered later. Outcomes behind them are delayed too, so that calls settle in the
 * order of their results.
 */
export const delayed = { outcomes: 0 };

const deliver: Deliver = (outcome, { resolve, reject }) =>
  outcome.ok ? resolve(outcome.value) : reject(outcome.error);
