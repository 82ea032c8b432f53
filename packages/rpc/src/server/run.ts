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
  settled(id: number, name: string, outcome: Outcome): void;
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
  frame.operations.forEach((operation, index) => {
    const id = frame.firstId + index;
    const pending = host.full ? FULL : run.next(operation);
    run.results.push(pending);
    if (pending instanceof Promise) {
      host.started();
      pending.then((outcome) => {
        if (operation.answered) host.settled(id, nameOf(operation), outcome);
        host.ended();
      });
    } else if (operation.answered) host.settled(id, nameOf(operation), pending);
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
    const args = operation.args;
    const ready = args !== undefined && this.#hasReferences ? this.#fillIn(args, index) : READY;
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
  if (path.length === 1) return attempt(() => callMember(receiver.value, path[0], args));
  const method = path.at(-1);
  if (method === undefined) {
    return { ok: false, error: new RpcError('METHOD_NOT_FOUND', 'the result is no function that can be called') };
  }
  const holder = follow(receiver, path.slice(0, -1));
  const call = (outcome: Outcome) => (outcome.ok ? attempt(() => callMember(outcome.value, method, args)) : outcome);
  return holder instanceof Promise ? holder.then(call) : call(holder);
}

/** Reads a property path, waiting only at a step whose value is a promise. */
function follow(from: Outcome, path: readonly string[]): Pending {
  let pending: Pending = from;
  for (const name of path) {
    const read = (outcome: Outcome): Pending => (outcome.ok ? attempt(() => readMember(outcome.value, name)) : outcome);
    pending = pending instanceof Promise ? pending.then(read) : read(pending);
  }
  return pending;
}

function attempt(run: () => unknown): Pending {
  try {
    const value = run();
    if (!isThenable(value)) return { ok: true, value };
    return Promise.resolve(value).then(
      (settled) => ({ ok: true, value: settled }),
      (error) => ({ ok: false, error }),
    );
  } catch (error) {
    return { ok: false, error };
  }
}

/** Whether a method's result is to be awaited. It is the method's own: what peers send has no functions in it. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function';
}

function nameOf({ path }: Operation): string {
  return path.join('.');
}
