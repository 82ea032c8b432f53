import { RpcError } from '../errors/rpc-error.ts';
import type { CallFrame } from '../protocol/call-frame.ts';
import { type Operation, ResultReference } from '../protocol/operation.ts';
import type { Outcome } from '../protocol/result-frame.ts';
import { callMember, readMember } from './members.ts';
import { findReferences } from './references.ts';

/** What runs the operations reports to. */
export interface RunHost {
  /** Whether no more operations may begin, because too many are running. */
  readonly full: boolean;
  /** What became of an operation that the client waits for. */
  settled(id: number, path: readonly string[], outcome: Outcome): void;
  /** An operation is left running, and is settled before `ended` is called for it. */
  started(): void;
  ended(): void;
}

/** The outcome of an operation, or a promise of it, which never rejects. */
type Pending = Outcome | Promise<Outcome>;

/**
 * Runs the operations of a frame, each once and in order. Nothing waits where nothing has to: an operation whose
 * receiver and arguments are there runs at once, in the same synchronous run as the one before.
 */
export function runOperations(frame: CallFrame, target: unknown, host: RunHost): void {
  const run = new Run(frame, target);
  const { firstId, operations } = frame;
  for (let index = 0; index < operations.length; index++) {
    const operation = operations[index];
    const pending = host.full ? FULL : run.next(operation);
    run.results.push(pending);
    if (pending instanceof Promise) leaveRunning(pending, firstId + index, operation, host);
    else if (operation.answered) host.settled(firstId + index, operation.path, pending);
  }
}

function leaveRunning(pending: Promise<Outcome>, id: number, { answered, path }: Operation, host: RunHost): void {
  host.started();
  pending.then((outcome) => {
    if (answered) host.settled(id, path, outcome);
    host.ended();
  });
}

const FULL: Outcome = {
  ok: false,
  error: new RpcError('LIMIT_EXCEEDED', 'maxCallsInFlight exceeded: call again when others have been answered'),
};

/** One pass over a frame. */
class Run {
  readonly results: Pending[] = [];
  readonly #target: Outcome;
  readonly #hasReferences: boolean;

  constructor({ hasReferences }: CallFrame, target: unknown) {
    this.#target = { ok: true, value: target };
    this.#hasReferences = hasReferences;
  }

  /** Runs the operation that comes after those that have results. */
  next(operation: Operation): Pending {
    const index = this.results.length;
    const receiver = this.#result(operation.receiver, index);
    const { args } = operation;
    const ready = this.#hasReferences && args !== undefined ? this.#fillIn(args, index) : READY;
    if (receiver instanceof Promise || ready instanceof Promise) {
      return Promise.all([receiver, ready]).then(([from, filled]) => perform(from, filled, operation));
    }
    return perform(receiver, ready, operation);
  }

  #result(distance: number, index: number): Pending {
    return distance === 0 ? this.#target : this.results[index - distance];
  }

  /** Puts results where arguments refer to them; fails as the first of them that failed. */
  #fillIn(args: unknown[], index: number): Pending {
    const found = findReferences(args, ResultReference);
    const values = found.slots.map(({ reference }) => {
      const base = this.#result(reference.distance, index);
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

function perform(receiver: Outcome, ready: Outcome, { path, args }: Operation): Pending {
  if (!receiver.ok) return receiver;
  if (!ready.ok) return ready;
  if (args === undefined) return follow(receiver, path);
  if (path.length === 1) return call(receiver.value, path[0], args);
  const method = path.at(-1);
  if (method === undefined) {
    return { ok: false, error: new RpcError('METHOD_NOT_FOUND', 'the result is no function that can be called') };
  }
  const holder = follow(receiver, path.slice(0, -1));
  const callOn = (outcome: Outcome) => (outcome.ok ? call(outcome.value, method, args) : outcome);
  return holder instanceof Promise ? holder.then(callOn) : callOn(holder);
}

function call(receiver: unknown, method: string, args: unknown[]): Pending {
  try {
    return outcomeOf(callMember(receiver, method, args));
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

/** Whether a method's result is to be awaited. It is the method's own: what peers send has no functions in it. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}
