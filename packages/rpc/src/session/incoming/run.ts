import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, type Kept, keptAt } from '../../protocol/address.ts';
import type { CallFrame } from '../../protocol/call-reader.ts';
import type { CallTerms, Operation } from '../../protocol/operation.ts';
import { Recording } from '../../protocol/recording.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Observer } from '../observe/observer.ts';
import type { SessionSettings } from '../settings.ts';
import type { Admission } from './admission.ts';
import { type Again, NOT_WANTED } from './again.ts';
import type { Caller, RunningCall } from './call-context.ts';
import { inDoubt } from './delivery.ts';
import type { Pending } from './held-results.ts';
import { type Applier, applyCounted, fillIn, follow, perform, READY } from './perform.ts';
import { type Begun, LONG, OPERATIONS_A_TURN, type Turns, type Work } from './turns.ts';

/** What runs the operations reports to. */
export interface RunHost {
  /** What operations without another receiver are made on. */
  readonly target: unknown;
  /** Who calls. */
  readonly caller: Caller | undefined;
  /** Stands for the connection: another one, or none, when that has ended. Then nothing more of it runs. */
  readonly life: number | undefined;
  readonly settings: SessionSettings;
  readonly turns: Turns;
  /** Told of each call that begins. */
  readonly observer: Observer | undefined;
  /** Admits operations, and counts them. */
  readonly admission: Admission;
  /** Makes the context of a call that begins. */
  begin(id: number, terms: CallTerms | undefined, ageMs?: number): RunningCall;
  /** Finds what was sent to the other side before, or kept for it. */
  kept(kept: Kept): Pending;
  /** Finds a call that was made again before, over this connection, and still runs, or whose result is kept; undefined where there is none. */
  joined(id: number): Joined | undefined;
  /** Keeps the result of an operation that is only a step. */
  hold(id: number, pending: Pending, bytes: number): void;
  /** Lets go of results that are kept and nobody needs. */
  forget(ids: readonly number[]): void;
  /** What became of an operation that the other side waits for. */
  settled(call: RunningCall, path: readonly string[], outcome: Outcome): void;
  /** What became of a step, for which nobody waits: where it is stored, the other side has to be told, or would never say that nobody needs it. */
  stepEnded(call: RunningCall, outcome: Outcome): void;
  /** An operation is over, whether the other side waits for it or not. */
  argumentsEnded(call: RunningCall, isAnswered: boolean, outcome: Outcome): void;
  /** An operation is left running, and is settled before `ended` is called for it. */
  started(call: RunningCall, frame: CallFrame): void;
  ended(call: RunningCall, frame: CallFrame): void;
  /** A frame waits for its next turn, until what this returns is called. */
  waits(frame: CallFrame): () => void;
  /** All operations of a frame have begun, or none will any more; `isLost` where its connection is gone. */
  begun(frame: CallFrame, isLost: boolean): void;
  /** Told of what methods threw where the call itself succeeds. */
  onError(error: unknown, method: string, call: RunningCall): void;
}

/** A call that another one joins which has its id. */
export interface Joined {
  readonly pending: Pending;
  /** Undefined where it has ended. */
  readonly call: RunningCall | undefined;
}

/** How to run a frame, other than as one that has just arrived for the first time. */
export interface RunTerms {
  /** What need not run of a frame that was sent before. */
  readonly again?: Again | undefined;
  /** Calls that are given up already, and why. */
  readonly cancelled?: Map<number, string> | undefined;
}

/**
 * Runs the operations of a frame, each once and in order. Nothing waits where nothing has to: an operation whose receiver and
 * arguments are there runs at once, in the same synchronous run as the one before. Once one waits, the next has a turn of its
 * own.
 */
export function runOperations(frame: CallFrame, host: RunHost, terms: RunTerms = {}): void {
  host.turns.take(new Run(frame, host, terms));
}

function observeOperation(
  observer: Observer,
  call: RunningCall,
  { path, args }: Operation,
  { size, operations }: CallFrame,
  host: RunHost,
): RunningCall['observation'] {
  const bytes = Math.round(size / operations.length);
  return observer.incoming(call, { path, args, bytes, onError: (...thrown) => host.onError(...thrown) });
}

function leaveRunning(
  pending: Promise<Outcome>,
  call: RunningCall,
  { answered, path }: Operation,
  frame: CallFrame,
  host: RunHost,
): void {
  call.pending = pending;
  host.started(call, frame);
  pending.then((outcome) => {
    if (answered) host.settled(call, path, outcome);
    else host.stepEnded(call, outcome);
    host.argumentsEnded(call, answered, outcome);
    host.ended(call, frame);
  });
}

/** What becomes of a call for which there is no room: one that is made again may have run before. */
function overload(full: RpcError | undefined, call: RunningCall): Outcome | undefined {
  return full && { ok: false, error: call.isAgain ? inDoubt(full) : full };
}

/** So many that are not in the frame itself count as one of it, which has more to it than that. */
export const OPERATIONS_A_CHARGE = 10;

/** One pass over a frame. */
class Run implements Work, Applier {
  readonly #frame: CallFrame;
  readonly #host: RunHost;
  readonly #again: Again | undefined;
  #cancelled: Map<number, string> | undefined;
  readonly #results: Pending[] = [];
  readonly #target: Outcome;
  readonly #caller: Caller | undefined;
  readonly #life: number | undefined;
  #recordings: Applier | undefined;
  /** What methods of lists have looked at, in all and in this turn. */
  #spent = 0;
  #spentInTurn = 0;
  /** Since when it waits for its turn. */
  #waitsSince: number | undefined;
  #letGo: (() => void) | undefined;
  /** Whether the operation that has run last has begun nothing: it waits for one before it. */
  #isExpected = false;
  isDone = false;

  constructor(frame: CallFrame, host: RunHost, { again, cancelled }: RunTerms) {
    this.#frame = frame;
    this.#host = host;
    this.#again = again;
    this.#cancelled = cancelled;
    // As they were when it arrived, whoever the caller is when it has its turn.
    this.#target = { ok: true, value: host.target };
    this.#caller = host.caller;
    this.#life = host.life;
  }

  go(): Begun {
    const host = this.#host;
    const { length } = this.#frame.operations;
    this.#spentInTurn = 0;
    for (let count = 0; this.#results.length < length; count++) {
      if (host.life === undefined || host.life !== this.#life) return void this.drop();
      if (count + this.#spentInTurn >= OPERATIONS_A_TURN) return LONG;
      const begun = this.#runNext();
      if (begun === undefined) continue;
      if (this.#results.length === length) this.#end();
      return begun;
    }
    this.#end();
    return undefined;
  }

  paused(): void {
    this.#waitsSince ??= Date.now();
    this.#letGo ??= this.#host.waits(this.#frame);
  }

  cancel(callId: number, code: string): void {
    const { firstId, operations } = this.#frame;
    if (callId < firstId || callId >= firstId + operations.length) return;
    this.#cancelled ??= new Map();
    this.#cancelled.set(callId, code);
  }

  drop(): void {
    if (this.isDone) return;
    this.#done();
    this.#host.begun(this.#frame, true);
  }

  #done(): void {
    this.isDone = true;
    this.#letGo?.();
  }

  #end(): void {
    this.#done();
    const passing = this.#again?.passing;
    if (passing?.length) void Promise.all(this.#results).then(() => this.#host.forget(passing));
    this.#host.begun(this.#frame, this.#again !== undefined);
  }

  /** Runs the operation that comes after those that have results, and returns what that has begun. */
  #runNext(): Begun {
    const frame = this.#frame;
    const host = this.#host;
    const again = this.#again;
    const index = this.#results.length;
    const operation = frame.operations[index];
    const id = frame.firstId + index;
    const known = again?.known[index];
    const cancelled = this.#cancelled?.get(id);
    // Several calls of a frame that go one after the other may use the same step.
    const joined = again !== undefined && known === undefined && cancelled === undefined ? host.joined(id) : undefined;
    if (joined !== undefined) return this.#join(joined, operation, id);
    const resumeAfter = again?.subscriptions.get(index);
    const call = host.begin(id, operation.terms, resumeAfter === undefined ? again?.ageMs : undefined);
    if (this.#waitsSince !== undefined) call.hasWaited(this.#caller, Date.now() - this.#waitsSince);
    if (cancelled !== undefined) call.giveUp(cancelled);
    call.resumeAfter = resumeAfter;
    if (again?.passing.includes(id)) call.isPassing = true;
    this.#isExpected = false;
    const { observer } = host;
    if (known !== undefined) call.isStored = known !== NOT_WANTED && known.ok;
    else if (observer !== undefined) call.observation = observeOperation(observer, call, operation, frame, host);
    const pending = known ?? overload(host.admission.full, call) ?? this.#observed(operation, call);
    this.#results.push(pending);
    if (!operation.answered && known !== NOT_WANTED) host.hold(id, pending, frame.cost / frame.operations.length);
    if (pending instanceof Promise) {
      leaveRunning(pending, call, operation, frame, host);
      return this.#isExpected ? undefined : pending;
    }
    if (operation.answered) host.settled(call, operation.path, pending);
    else host.stepEnded(call, pending);
    host.argumentsEnded(call, operation.answered, pending);
    return undefined;
  }

  /** Waits for a call that runs already, and begins nothing. */
  #join({ pending, call }: Joined, { answered, path, terms }: Operation, id: number): undefined {
    const host = this.#host;
    this.#results.push(pending);
    if (this.#again?.passing.includes(id)) host.hold(id, pending, 0);
    if (!answered) return undefined;
    const settle = (outcome: Outcome) => host.settled(call ?? host.begin(id, terms), path, outcome);
    const done = host.waits(this.#frame);
    void Promise.resolve(pending).then(settle).then(done);
    return undefined;
  }

  #observed(operation: Operation, call: RunningCall): Pending {
    return call.observation === undefined
      ? this.#perform(operation, call)
      : call.observation.run(() => this.#perform(operation, call));
  }

  #perform(operation: Operation, call: RunningCall): Pending {
    const index = this.#results.length;
    const receiver = this.#result(operation.receiver, index);
    this.#isExpected = operation.receiver > 0 && receiver instanceof Promise;
    const { args } = operation;
    const ready =
      this.#frame.hasReferences && args !== undefined
        ? fillIn(args, ({ address, path }) => follow(this.#result(address, index), path, call))
        : READY;
    return perform(receiver, ready, operation, call, this.#applierFor(args), this.#host.turns);
  }

  #result(address: Address, index: number): Pending {
    if (address === 0) return this.#target;
    const kept = keptAt(address);
    return kept === undefined ? this.#results[index - address] : this.#host.kept(kept);
  }

  /** Arguments that begin with a recording are for `map` and `filter`. */
  #applierFor(args: unknown[] | undefined): Applier {
    if (!(args?.[0] instanceof Recording)) return this;
    const { settings } = this.#host;
    this.#recordings ??= settings.recordings?.createRunner(settings, this.#host);
    return this.#recordings ?? this;
  }

  apply(receiver: unknown, method: string | undefined, args: unknown[], call: RunningCall): Pending {
    return applyCounted(this, receiver, method, args, call);
  }

  /** @throws {RpcError} `LIMIT_EXCEEDED` where it is too much for one frame */
  spend(operations: number): void {
    if (operations === 0) return;
    this.#spent += operations;
    this.#spentInTurn += operations;
    this.#host.admission.charge(Math.ceil(operations / OPERATIONS_A_CHARGE));
    const { maxMapOperations } = this.#host.settings.limits;
    if (this.#spent <= maxMapOperations) return;
    throw new RpcError(
      'LIMIT_EXCEEDED',
      `maxMapOperations of ${maxMapOperations} exceeded: look through shorter lists`,
    );
  }
}
