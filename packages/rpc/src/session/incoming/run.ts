import type { Address, ResultReference } from '../../protocol/address.ts';
import { createCallReader, RefusedFrame } from '../../protocol/call-reader.ts';
import { WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import type { CallFrame, Operation } from '../../protocol/operation.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import type { Answering, Answers } from '../extension.ts';
import type { Peer } from '../peer.ts';
import type { Performer } from '../settings.ts';
import { type Caller, type Earlier, givenUp, RunningCall } from './call-context.ts';
import { fillIn } from './fill-in.ts';
import { Incoming } from './incoming.ts';
import { callFunction, callMember, readMember } from './members.ts';
import { perform, READY } from './perform.ts';
import { type Begun, LONG, OPERATIONS_A_TURN, type Turns, type Work } from './turns.ts';

/** Answers calls of the other side: servers do, and clients that pass targets and functions. */
export const ANSWERING: Answering = {
  createReader: createCallReader,
  create: (session: Peer) => new Incoming(session),
  refuse,
  run: runFrame,
  members: { read: readMember, call: callMember, apply: callFunction },
};

function refuse(session: { readonly answers: Answers }, error: unknown): boolean {
  if (!(error instanceof RefusedFrame)) return false;
  session.answers.refuseUnread(error);
  return true;
}

/**
 * Runs a frame that has been read, or refuses it, and does as its signals say when all of it has begun. What it gives up is
 * over at once.
 * @throws {RpcError} where a signal says what cannot be
 */
export function runFrame(incoming: Incoming, frame: CallFrame): void {
  const { bounds } = incoming;
  const { states } = incoming.session;
  const cancelled = frame.signals.length > 0 ? incoming.giveUp(frame) : undefined;
  const refusal = frame.operations.length > 0 ? bounds?.admit(frame) : bounds?.charge(frame.charge);
  if (refusal) {
    incoming.refuseUnread(new RefusedFrame(frame.firstId, WHOLE_FRAME, refusal));
    return incoming.take(new Run(incoming, { ...frame, operations: [] }));
  }
  for (const state of states) state.settle?.(true);
  incoming.take(new Run(incoming, frame, cancelled));
}

/**
 * One pass over a frame: runs its operations, each once and in order. Nothing waits where nothing has to: an operation whose
 * receiver and arguments are there runs at once, in the same synchronous run as the one before.
 */
export class Run implements Work, Performer {
  // The constructor sets its fields: what sets them elsewhere would be a function more for every frame.
  declare readonly incoming: Incoming;
  declare readonly session: Peer;
  declare readonly turns: Turns | undefined;
  declare readonly frame: CallFrame;
  /** Calls that are given up before they begin, and why. */
  declare cancelled: Map<number, string> | undefined;
  /** Outcome of each operation that has begun, by its place. */
  declare protected readonly results: Pending[];
  declare private readonly target: Outcome;
  declare readonly caller: Caller | undefined;
  /** The connection that it came over. */
  declare protected readonly life: number;
  declare operations: number;
  declare bytes: number;
  /** Since when it waits for its turn. */
  declare since: number | undefined;
  /** True if the operation that has run last has begun nothing: it waits for one before it. */
  declare private isExpected: boolean;
  declare isDone: boolean;

  constructor(incoming: Incoming, frame: CallFrame, cancelled?: Map<number, string>) {
    const { session } = incoming;
    this.incoming = incoming;
    this.session = session;
    this.turns = incoming.turns;
    this.frame = frame;
    this.cancelled = cancelled;
    this.results = [];
    // As they were when it arrived, whoever the caller is when it has its turn.
    this.target = { ok: true, value: session.target };
    this.caller = session.caller;
    this.life = incoming.life;
    this.operations = this.bytes = 0;
    this.since = undefined;
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
    if (results.length === operations.length) {
      this.isDone = true;
      if (this.since !== undefined || this.frame.signals.length > 0) this.#end(false);
    }
    return begun;
  }

  drop(): void {
    if (!this.isDone) this.#end(true);
  }

  /** Nothing more of it runs; `isLost` where its connection is gone, so that what it says of that means nothing. */
  #end(isLost: boolean): void {
    this.isDone = true;
    if (this.since !== undefined) this.incoming.waited(this.frame);
    if (this.frame.signals.length > 0) this.incoming.receiveSignals(this.frame, isLost);
  }

  /** Runs the operation that comes after those that have results, and returns what that has begun. */
  protected next(operation: Operation, earlier?: Earlier): Begun {
    const { frame, incoming, results, session, since } = this;
    const callId = frame.firstId + results.length;
    const call = new RunningCall(session, callId, operation.terms, this.life, earlier?.call);
    if (since !== undefined) this.turns!.noteWait(call, this);
    const cancelled = this.cancelled?.get(callId);
    if (cancelled !== undefined) call.abort(givenUp(cancelled));
    const { observer } = session;
    const pending =
      earlier?.outcome ??
      (observer === undefined
        ? this.#run(operation, call)
        : observer.answer(call, operation, frame, session, () => this.#run(operation, call)));
    results.push(pending);
    if (!operation.answered && !earlier?.isUnwanted) {
      incoming.references.exports.hold(callId, pending, frame.cost / frame.operations.length);
    }
    if (!(pending instanceof Promise)) return void incoming.settle(pending, operation, call);
    incoming.leaveRunning(pending, operation, call, frame);
    return this.isExpected ? undefined : pending;
  }

  /** Runs an operation, unless too many are running. */
  #run({ receiver: from, path, args, references }: Operation, call: RunningCall): Pending {
    // Most often nothing is running.
    const full = this.session.load.calls > 0 ? this.incoming.waiting.full() : undefined;
    // One that is made again may have run before.
    if (full !== undefined) return { ok: false, error: call.refused?.(full) ?? full };
    const receiver = from === 0 ? this.target : this.#result(from);
    this.isExpected = from > 0 && receiver instanceof Promise;
    const resolve = ({ address, path }: ResultReference) => perform(this.#result(address), path, undefined, call, this);
    const ready = references === undefined ? READY : fillIn(args!, references, resolve);
    return perform(receiver, path, args, call, this, ready);
  }

  /** Returns what an address stands for in the next operation. */
  #result(address: Address): Pending {
    if (address === 0) return this.target;
    return address > 0 ? this.results[this.results.length - address] : this.incoming.kept(address);
  }
}
