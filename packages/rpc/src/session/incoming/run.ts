import { type Address, keptAt } from '../../protocol/address.ts';
import { RefusedFrame, WHOLE_FRAME } from '../../protocol/frame-reader.ts';
import type { CallFrame, Operation } from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Bounds } from '../admission.ts';
import type { Peer } from '../peer.ts';
import type { Performer, SessionSettings } from '../settings.ts';
import { type Caller, type Earlier, RunningCall } from './call-context.ts';
import { inDoubt } from './delivery.ts';
import type { Pending } from './held-results.ts';
import type { Incoming } from './incoming.ts';
import { follow, perform } from './perform.ts';
import { fillIn, READY } from './result-slots.ts';
import { type Begun, LONG, OPERATIONS_A_TURN, type Turns, type Work } from './turns.ts';

/**
 * Runs a frame that has been read, or refuses it, and does as its signals say when all of it has begun. What it gives up is
 * over at once.
 * @throws {RpcError} where a signal says what cannot be
 */
export function runFrame(incoming: Incoming, frame: CallFrame): void {
  const { firstId, operations, signals } = frame;
  const cancelled = signals.length > 0 ? incoming.giveUp(frame) : undefined;
  const { bounds } = incoming.session;
  const refusal = operations.length > 0 ? bounds?.admit(frame) : undefined;
  if (operations.length === 0) bounds?.charge(frame.charge);
  if (refusal === undefined) {
    for (const state of incoming.session.states) state.settle?.(true);
    incoming.turns.take(new Run(incoming, frame, cancelled));
  } else {
    incoming.refuseUnread(new RefusedFrame(firstId, WHOLE_FRAME, refusal));
    incoming.turns.take(new Run(incoming, { ...frame, operations: [] }));
  }
  if (!incoming.turns.isBrief) incoming.replies.flush();
}

/**
 * One pass over a frame: runs its operations, each once and in order. Nothing waits where nothing has to: an operation whose
 * receiver and arguments are there runs at once, in the same synchronous run as the one before. Once one waits, the next has a
 * turn of its own.
 */
export class Run implements Work, Performer {
  // The constructor sets its fields: what sets them elsewhere would be a function more for every frame.
  declare readonly incoming: Incoming;
  declare readonly session: Peer;
  declare readonly frame: CallFrame;
  /** Calls that are given up before they begin, and why. */
  declare protected cancelled: Map<number, string> | undefined;
  declare protected readonly results: Pending[];
  declare private readonly target: Outcome;
  declare private readonly caller: Caller | undefined;
  /** The connection that it came over. */
  declare protected readonly life: number;
  declare operations: number;
  declare bytes: number;
  /** Since when it waits for its turn. */
  declare private waitsSince: number | undefined;
  /** True if the operation that has run last has begun nothing: it waits for one before it. */
  declare private isExpected: boolean;
  declare isDone: boolean;

  constructor(incoming: Incoming, frame: CallFrame, cancelled?: Map<number, string>) {
    const { session } = incoming;
    this.incoming = incoming;
    this.session = session;
    this.frame = frame;
    this.cancelled = cancelled;
    this.results = [];
    // As they were when it arrived, whoever the caller is when it has its turn.
    this.target = { ok: true, value: session.target };
    this.caller = session.caller;
    this.life = incoming.replies.life;
    this.operations = this.bytes = 0;
    this.waitsSince = undefined;
    this.isExpected = this.isDone = false;
  }

  get settings(): SessionSettings {
    return this.session.settings;
  }

  get turns(): Turns {
    return this.incoming.turns;
  }

  get bounds(): Bounds | undefined {
    return this.session.bounds;
  }

  go(): Begun {
    const { incoming, results, session } = this;
    const { operations } = this.frame;
    const before = this.operations;
    let begun: Begun;
    for (let count = 0; begun === undefined && results.length < operations.length; count++) {
      if (session.isOver || incoming.replies.life !== this.life) return void this.drop();
      if (count + this.operations - before >= OPERATIONS_A_TURN) return LONG;
      begun = this.runNext();
    }
    if (results.length === operations.length) this.end(false);
    return begun;
  }

  paused(): void {
    if (this.waitsSince !== undefined) return;
    this.waitsSince = Date.now();
    this.incoming.waits(this.frame);
  }

  cancel(callId: number, code: string): void {
    const { firstId, operations } = this.frame;
    if (callId < firstId || callId >= firstId + operations.length) return;
    this.cancelled ??= new Map();
    this.cancelled.set(callId, code);
  }

  drop(): void {
    if (!this.isDone) this.end(true);
  }

  /** Ends it: nothing more of it runs. `isLost`: its connection is gone, so that what it says of that means nothing. */
  protected end(isLost: boolean): void {
    this.isDone = true;
    if (this.waitsSince !== undefined) this.incoming.waited(this.frame);
    if (this.frame.signals.length > 0) this.incoming.receiveSignals(this.frame, isLost);
  }

  /** Runs the operation that comes after those that have results, and returns what that has begun. */
  protected runNext(earlier?: Earlier): Begun {
    const { frame, incoming, results, session, waitsSince } = this;
    const operation = frame.operations[results.length];
    const callId = frame.firstId + results.length;
    const call = new RunningCall(session, callId, operation.terms, earlier);
    call.life = this.life;
    if (waitsSince !== undefined) call.hasWaited(this.caller, Date.now() - waitsSince);
    const cancelled = this.cancelled?.get(callId);
    if (cancelled !== undefined) call.giveUp(cancelled);
    const pending = earlier?.outcome ?? this.answer(operation, call, session.observer === undefined);
    results.push(pending);
    if (!operation.answered && !earlier?.isUnwanted) {
      incoming.references.held.hold(callId, pending, frame.cost / frame.operations.length);
    }
    if (!(pending instanceof Promise)) return void incoming.settle(pending, operation, call);
    incoming.leaveRunning(pending, operation, call, frame);
    return this.isExpected ? undefined : pending;
  }

  /** Answers the next call, unless too many are running. */
  protected answer(operation: Operation, call: RunningCall, isObserved: boolean): Pending {
    const { incoming, frame } = this;
    const { receiver: from, path, args } = operation;
    if (!isObserved) {
      const bytes = Math.round(frame.size / frame.operations.length);
      const onError = (...thrown: Parameters<Performer['onError']>) => this.onError(...thrown);
      call.observation = this.session.observer!.incoming(call, { path, args, bytes, onError });
      if (call.observation !== undefined) return call.observation.run(() => this.answer(operation, call, true));
    }
    const { full } = incoming.admission;
    // One that is made again may have run before.
    if (full !== undefined) return { ok: false, error: call.isAgain ? inDoubt(full) : full };
    const receiver = from === 0 ? this.target : this.result(from);
    this.isExpected = from > 0 && receiver instanceof Promise;
    const ready =
      frame.hasReferences && args !== undefined
        ? fillIn(args, ({ address, path }) => follow(this.result(address), path, call))
        : READY;
    return perform(receiver, ready, operation, call, this);
  }

  /** Returns what an address stands for in the next operation. */
  private result(address: Address): Pending {
    if (address === 0) return this.target;
    const kept = keptAt(address);
    return kept === undefined ? this.results[this.results.length - address] : this.incoming.kept(kept);
  }

  onError(error: unknown, method: string, call: RunningCall): void {
    this.session.onError(error, method, call);
  }
}
