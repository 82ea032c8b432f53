import { RpcError } from '../../errors/rpc-error.ts';
import { type Address, type Kept, keptAt } from '../../protocol/address.ts';
import { ResultReference } from '../../protocol/extension.ts';
import type { CallFrame } from '../../protocol/frame-reader.ts';
import type { CallTerms, Operation } from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { type RunningCall, runIn } from './call-context.ts';
import type { Pending } from './held-results.ts';
import { callFunction, callMember, isPlainData, readMember } from './members.ts';
import { findReferences } from './result-slots.ts';

/** What runs the operations reports to. */
export interface RunHost {
  /** What operations without another receiver are made on. */
  readonly target: unknown;
  /** Whether no more operations may begin, because too many are running. */
  readonly full: boolean;
  /** Makes the context of a call that begins. */
  begin(id: number, terms: CallTerms | undefined): RunningCall;
  /** Finds what was sent to the other side before, or kept for it. */
  kept(kept: Kept): Pending;
  /** Keeps the result of an operation that is only a step. */
  hold(id: number, pending: Pending, bytes: number): void;
  /** What became of an operation that the other side waits for. */
  settled(id: number, path: readonly string[], outcome: Outcome): void;
  /** An operation is left running, and is settled before `ended` is called for it. */
  started(call: RunningCall): void;
  ended(call: RunningCall): void;
}

/**
 * Runs the operations of a frame, each once and in order. Nothing waits where nothing has to: an operation whose
 * receiver and arguments are there runs at once, in the same synchronous run as the one before.
 */
export function runOperations(frame: CallFrame, host: RunHost): void {
  const run = new Run(frame, host);
  const { firstId, operations } = frame;
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index];
    const id = firstId + index;
    const call = host.begin(id, operation.terms);
    const pending = host.full ? FULL : run.next(operation, call);
    run.results.push(pending);
    if (!operation.answered) host.hold(id, pending, frame.size / operations.length);
    if (pending instanceof Promise) leaveRunning(pending, call, operation, host);
    else if (operation.answered) host.settled(id, operation.path, pending);
  }
}

function leaveRunning(
  pending: Promise<Outcome>,
  call: RunningCall,
  { answered, path }: Operation,
  host: RunHost,
): void {
  host.started(call);
  pending.then((outcome) => {
    if (answered) host.settled(call.callId, path, outcome);
    host.ended(call);
  });
}

const FULL: Outcome = {
  ok: false,
  error: new RpcError('LIMIT_EXCEEDED', 'maxCallsInFlight exceeded: call again when others have been answered'),
};

/** One pass over a frame. */
class Run {
  readonly results: Pending[] = [];
  readonly #host: RunHost;
  readonly #target: Outcome;
  readonly #hasReferences: boolean;

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
    const ready = this.#hasReferences && args !== undefined ? this.#fillIn(args, index) : READY;
    if (receiver instanceof Promise || ready instanceof Promise) {
      return Promise.all([receiver, ready]).then(([from, filled]) =>
        // Who gave up while it waited is not to be surprised by its effects.
        call.isOver ? OVER : perform(from, filled, operation, call),
      );
    }
    return perform(receiver, ready, operation, call);
  }

  #result(address: Address, index: number): Pending {
    if (address === 0) return this.#target;
    const kept = keptAt(address);
    return kept === undefined ? this.results[index - address] : this.#host.kept(kept);
  }

  /** Puts results where arguments refer to them; fails as the first of them that failed. */
  #fillIn(args: unknown[], index: number): Pending {
    const found = findReferences(args, ResultReference);
    const values = found.slots.map(({ reference }) => {
      const base = this.#result(reference.address, index);
      return base instanceof Promise
        ? base.then((outcome) => follow(outcome, reference.path))
        : follow(base, reference.path);
    });
    const fill = (outcomes: Outcome[]): Outcome => {
      for (const [slot, outcome] of outcomes.entries()) {
        if (!outcome.ok) return outcome;
        found.slots[slot].put(outcome.value);
      }
      found.finish();
      return READY;
    };
    return values.some((value) => value instanceof Promise)
      ? Promise.all(values).then(fill)
      : fill(values as Outcome[]);
  }
}

const READY: Outcome = { ok: true, value: undefined };

const OVER: Outcome = {
  ok: false,
  error: new RpcError('CANCELLED', 'the caller gave up before the call began'),
};

function perform(receiver: Outcome, ready: Outcome, { path, args }: Operation, call: RunningCall): Pending {
  if (!receiver.ok) return receiver;
  if (!ready.ok) return ready;
  if (args === undefined) return path.length === 0 ? receiver : runIn(call, follow, receiver, path);
  if (path.length === 1) return apply(receiver.value, path[0], args, call);
  const holder = path.length === 0 ? receiver : runIn(call, follow, receiver, path.slice(0, -1));
  const callOn = (outcome: Outcome) => (outcome.ok ? apply(outcome.value, path.at(-1), args, call) : outcome);
  return holder instanceof Promise ? holder.then(callOn) : callOn(holder);
}

/** Calls a method of the receiver, or without a name the receiver itself. */
function apply(receiver: unknown, method: string | undefined, args: unknown[], call: RunningCall): Pending {
  try {
    return outcomeOf(
      method === undefined ? callFunction(receiver, args, call) : callMember(receiver, method, args, call),
    );
  } catch (error) {
    return { ok: false, error };
  }
}

function read(receiver: Outcome, name: string): Pending {
  if (!receiver.ok) return receiver;
  try {
    return outcomeOf(readMember(receiver.value, name));
  } catch (error) {
    return { ok: false, error };
  }
}

/** Reads a property path, waiting only at a step whose value is a promise. */
function follow(from: Outcome, path: readonly string[]): Pending {
  let pending: Pending = from;
  for (const name of path) {
    pending = pending instanceof Promise ? pending.then((outcome) => read(outcome, name)) : read(pending, name);
  }
  return pending;
}

/** The outcome of a method or getter that returned. */
function outcomeOf(value: unknown): Pending {
  if (!isThenable(value)) return { ok: true, value };
  return Promise.resolve(value).then(
    (settled) => ({ ok: true, value: settled }),
    (error) => ({ ok: false, error }),
  );
}

/** Whether a method's result is to be awaited. Plain data is not, whatever a peer has put into its `then`. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function' && !isPlainData(value);
}
