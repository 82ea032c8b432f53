import { RpcError } from '../../errors/rpc-error.ts';
import type { Address } from '../../protocol/address.ts';
import type { CallFrame } from '../../protocol/call-frame.ts';
import type { CallTerms } from '../../protocol/call-terms.ts';
import type { Operation } from '../../protocol/operation.ts';
import { type Kept, keptAt } from '../../protocol/read-address.ts';
import { Recording } from '../../protocol/recording.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { Observer } from '../observe/observer.ts';
import type { SessionSettings } from '../settings.ts';
import type { Again } from './again.ts';
import type { RunningCall } from './call-context.ts';
import { inDoubt } from './delivery.ts';
import type { Pending } from './held-results.ts';
import { type Apply, countingApply, fillIn, follow, perform, READY } from './perform.ts';

/** What runs the operations reports to. */
export interface RunHost {
  /** What operations without another receiver are made on. */
  readonly target: unknown;
  readonly settings: SessionSettings;
  /** Told of each call that begins. */
  readonly observer: Observer | undefined;
  /** Why operations may not begin, because too many are running; undefined where they may. */
  readonly full: RpcError | undefined;
  /** Makes the context of a call that begins. */
  begin(id: number, terms: CallTerms | undefined, ageMs?: number): RunningCall;
  /** Finds what was sent to the other side before, or kept for it. */
  kept(kept: Kept): Pending;
  /** Keeps the result of an operation that is only a step. */
  hold(id: number, pending: Pending, bytes: number): void;
  /** What became of an operation that the other side waits for. */
  settled(call: RunningCall, path: readonly string[], outcome: Outcome): void;
  /** An operation is left running, and is settled before `ended` is called for it. */
  started(call: RunningCall, frame: CallFrame): void;
  ended(call: RunningCall, frame: CallFrame): void;
  /** Counts operations that were not in the frame itself. */
  charge(operations: number): void;
  /** Told of what methods threw where the call itself succeeds. */
  onError(error: unknown, method: string, call: RunningCall): void;
}

/**
 * Runs the operations of a frame, each once and in order. Nothing waits where nothing has to: an operation whose
 * receiver and arguments are there runs at once, in the same synchronous run as the one before. `again`: what need not run
 * of a frame that was sent before.
 */
export function runOperations(frame: CallFrame, host: RunHost, again?: Again): void {
  const run = new Run(frame, host);
  const { firstId, operations } = frame;
  const { observer } = host;
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index];
    const id = firstId + index;
    const resumeAfter = again?.subscriptions.get(index);
    const call = host.begin(id, operation.terms, resumeAfter === undefined ? again?.ageMs : undefined);
    call.resumeAfter = resumeAfter;
    const known = again?.known[index];
    if (known !== undefined) call.isStored = true;
    else if (observer !== undefined) call.observation = observeOperation(observer, call, operation, frame, host);
    const pending = known ?? overload(host.full, call) ?? runNext(run, operation, call);
    run.results.push(pending);
    if (!operation.answered && known === undefined) host.hold(id, pending, frame.cost / operations.length);
    if (pending instanceof Promise) leaveRunning(pending, call, operation, frame, host);
    else if (operation.answered) host.settled(call, operation.path, pending);
    else call.observation?.ended(pending);
  }
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

function runNext(run: Run, operation: Operation, call: RunningCall): Pending {
  return call.observation === undefined
    ? run.next(operation, call)
    : call.observation.run(() => run.next(operation, call));
}

function leaveRunning(
  pending: Promise<Outcome>,
  call: RunningCall,
  { answered, path }: Operation,
  frame: CallFrame,
  host: RunHost,
): void {
  host.started(call, frame);
  pending.then((outcome) => {
    if (answered) host.settled(call, path, outcome);
    else call.observation?.ended(outcome);
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
class Run {
  readonly results: Pending[] = [];
  readonly #host: RunHost;
  readonly #target: Outcome;
  readonly #hasReferences: boolean;
  #recordings: { readonly apply: Apply } | undefined;
  readonly #apply: Apply = countingApply((operations) => this.#spend(operations));
  /** What methods of lists have looked at. */
  #spent = 0;

  constructor({ hasReferences }: CallFrame, host: RunHost) {
    this.#host = host;
    this.#target = { ok: true, value: host.target };
    this.#hasReferences = hasReferences;
  }

  /** Runs the operation that comes after those that have results. */
  next(operation: Operation, call: RunningCall): Pending {
    const index = this.results.length;
    const receiver = this.#result(operation.receiver, index);
    const { args } = operation;
    const ready =
      this.#hasReferences && args !== undefined
        ? fillIn(args, ({ address, path }) => follow(this.#result(address, index), path, call))
        : READY;
    return perform(receiver, ready, operation, call, this.#applyFor(args));
  }

  #result(address: Address, index: number): Pending {
    if (address === 0) return this.#target;
    const kept = keptAt(address);
    return kept === undefined ? this.results[index - address] : this.#host.kept(kept);
  }

  /** Arguments that begin with a recording are for `map` and `filter`. */
  #applyFor(args: unknown[] | undefined): Apply {
    if (!(args?.[0] instanceof Recording)) return this.#apply;
    const { settings } = this.#host;
    this.#recordings ??= settings.recordings?.createRunner(settings, this.#host);
    return this.#recordings?.apply ?? this.#apply;
  }

  /** @throws {RpcError} `LIMIT_EXCEEDED` where it is too much for one frame */
  #spend(operations: number): void {
    if (operations === 0) return;
    this.#spent += operations;
    this.#host.charge(Math.ceil(operations / OPERATIONS_A_CHARGE));
    const { maxMapOperations } = this.#host.settings.limits;
    if (this.#spent <= maxMapOperations) return;
    throw new RpcError(
      'LIMIT_EXCEEDED',
      `maxMapOperations of ${maxMapOperations} exceeded: look through shorter lists`,
    );
  }
}
