import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, type ResultReference, stepAddress } from '../../protocol/address.ts';
import { createCallReader } from '../../protocol/call-reader.ts';
import { WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import { type CallFrame, type Operation, RefusedFrame } from '../../protocol/operation.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import type { Answering } from '../extension.ts';
import type { Session } from '../session.ts';
import type { Performer } from '../settings.ts';
import { type Caller, type Earlier, RunningCall } from './call-context.ts';
import { fillIn } from './fill-in.ts';
import { Incoming } from './incoming.ts';
import { perform, READY } from './perform.ts';
import { handleSignals } from './signals.ts';
import { type Begun, LONG, OPERATIONS_A_TURN, type Turns, type Work } from './turns.ts';

/** Answers calls of the peer. Servers use it, and clients that pass targets and functions. */
export const ANSWERING: Answering = {
  createReader: createCallReader,
  create: (session: Session) => new Incoming(session),
  run: runFrame,
};

/**
 * Runs a frame that was read, or refuses it. Calls that the frame gives up end at once. Its other signals are handled
 * when all its operations have begun.
 * @throws {RpcError} if a signal is invalid
 */
export function runFrame(incoming: Incoming, frame: CallFrame): void {
  const { bounds } = incoming;
  const { states } = incoming.session;
  const run = new Run(incoming, frame);
  if (frame.signals.length > 0) incoming.giveUp(frame, run);
  const asks = frame.operations.length > 0 || frame.refusal !== undefined;
  const excess = asks ? bounds?.admit(frame) : bounds?.charge(frame.charge);
  const refusal = excess ? new RefusedFrame(frame.firstId, WHOLE_FRAME, excess) : frame.refusal;
  if (refusal !== undefined) {
    incoming.forget(frame.firstId);
    incoming.refuseUnread(refusal);
    return incoming.take(new Run(incoming, { ...frame, operations: [] }));
  }
  for (const state of states) state.handled?.(true);
  incoming.take(run);
}

/**
 * One pass over a frame, which runs its operations in order, each once. Nothing waits without need: an operation whose
 * receiver and arguments are there runs in the same synchronous run as the one before.
 */
export class Run implements Work, Performer {
  // The constructor sets the fields. Field initializers would cost one more function for every frame.
  declare readonly incoming: Incoming;
  declare readonly session: Session;
  declare readonly turns: Turns | undefined;
  declare readonly frame: CallFrame;
  /** The calls that are given up before they begin, with the reasons. */
  declare cancelled: Map<number, RpcError> | undefined;
  /** The outcomes of the operations that have begun, by place. */
  declare protected readonly results: Pending[];
  declare private readonly target: Outcome;
  declare readonly caller: Caller | undefined;
  /** The number of the connection that the frame came over. */
  declare protected readonly life: number;
  declare operations: number;
  declare bytes: number;
  /** The time at which the frame began to wait for its turn. */
  declare since: number | undefined;
  /** True if the last operation has begun nothing yet, because it waits for an earlier one. */
  declare private isExpected: boolean;
  declare isDone: boolean;

  constructor(incoming: Incoming, frame: CallFrame) {
    const { session } = incoming;
    this.incoming = incoming;
    this.session = session;
    this.turns = incoming.turns;
    this.frame = frame;
    this.results = [];
    // The target and the caller are those at arrival, even if the connection has another caller when the frame runs.
    this.target = { ok: true, value: session.target };
    this.caller = session.caller;
    this.life = incoming.life;
    this.operations = this.bytes = 0;
    this.since = this.cancelled = undefined;
    this.isExpected = this.isDone = false;
  }

  go(): Begun {
    const { incoming, results, session } = this;
    const { operations } = this.frame;
    const before = this.operations;
    let begun: Begun;
    for (let count = 0; begun === undefined && results.length < operations.length; count++) {
      if (session.isOver || incoming.life !== this.life) return void this.drop();
      if (count + this.operations - before >= OPERATIONS_A_TURN) return LONG;
      begun = this.next(operations[results.length]);
    }
    if (results.length === operations.length) this.#end(false);
    return begun;
  }

  drop(): void {
    if (!this.isDone) this.#end(true);
  }

  /** Ends the run. `isLost` is true if its connection is gone, so that signals about the connection mean nothing. */
  #end(isLost: boolean): void {
    this.isDone = true;
    if (this.since !== undefined) this.incoming.waited(this.frame);
    if (this.frame.signals.length > 0) handleSignals(this.session, this.frame.signals, isLost);
  }

  /** Runs the next operation, and returns the work that it has begun. */
  protected next(operation: Operation, earlier?: Earlier): Begun {
    const { frame, incoming, results, session, since } = this;
    const callId = frame.firstId + results.length;
    const call = new RunningCall(session, callId, operation.terms, this.life, earlier?.call);
    if (since !== undefined) this.turns!.noteWait(call, this);
    const cancelled = this.cancelled?.get(callId);
    if (cancelled !== undefined) call.abort(cancelled);
    const { observer } = session;
    const pending =
      earlier?.outcome ??
      (observer === undefined
        ? this.#run(operation, call)
        : observer.answer(call, operation, frame, session, () => this.#run(operation, call)));
    results.push(pending);
    if (!operation.answered && !earlier?.isUnwanted) {
      incoming.references.exports.hold(callId, pending, frame.cost / frame.operations.length, call);
    }
    if (incoming.life !== this.life) {
      // The method has ended the connection itself. That ended neither its call nor its step, which were unknown yet.
      call.abort(new RpcError('NOT_EXECUTED', 'the connection was lost'));
      incoming.references.exports.release(stepAddress(callId), 1);
    }
    if (!(pending instanceof Promise)) return void incoming.finish(pending, operation, call);
    incoming.leaveRunning(pending, operation, call, frame);
    return this.isExpected ? undefined : pending;
  }

  /** Runs an operation, unless too many calls are running. */
  #run({ receiver: from, path, args, references }: Operation, call: RunningCall): Pending {
    // Most often no call is running.
    const full = this.session.load.calls > 0 ? this.incoming.waiting.full() : undefined;
    // A call that is sent again may have run before.
    if (full !== undefined) return { ok: false, error: call.refused?.(full) ?? full };
    const receiver = this.#result(from);
    this.isExpected = from > 0 && receiver instanceof Promise;
    const resolve = ({ address, path }: ResultReference) => perform(this.#result(address), path, undefined, call, this);
    const ready = references === undefined ? READY : fillIn(args!, references, resolve);
    return perform(receiver, path, args, call, this, ready);
  }

  /** Returns the outcome that an address stands for in the next operation. */
  #result(address: Address): Pending {
    if (address === 0) return this.target;
    return address > 0 ? this.results[this.results.length - address] : this.incoming.kept(address);
  }
}
