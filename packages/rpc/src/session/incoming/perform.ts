import { ResultReference } from '../../protocol/address.ts';
import type { Operation } from '../../protocol/operation.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { RunningCall } from './call-context.ts';
import type { Pending } from './held-results.ts';
import { callFunction, callMember, isPlainData, readMember } from './members.ts';
import { costOfReading, costOfResult } from './reading.ts';
import { findReferences } from './result-slots.ts';
import { noteThrown } from './thrown.ts';
import type { Turns } from './turns.ts';

/** Calls methods for the operations of a frame. */
export interface Applier {
  /** Calls a method of the receiver, or without a name the receiver itself. Never throws. */
  apply(receiver: unknown, method: string | undefined, args: unknown[], call: RunningCall): Pending;
}

/** What there is to wait for where there is nothing. */
export const READY: Outcome = { ok: true, value: undefined };

/** Performs an operation when its receiver is there and its arguments are `ready`: at once where both are. */
export function perform(
  receiver: Pending,
  ready: Pending,
  operation: Operation,
  call: RunningCall,
  applier: Applier,
  turns: Turns,
): Pending {
  if (receiver instanceof Promise || ready instanceof Promise) {
    return turns.after(Promise.all([receiver, ready]), ([from, filled]) =>
      performNow(from, filled, operation, call, applier),
    );
  }
  return performNow(receiver, ready, operation, call, applier);
}

function performNow(
  receiver: Outcome,
  ready: Outcome,
  { path, args }: Operation,
  call: RunningCall,
  applier: Applier,
): Pending {
  if (!receiver.ok) return receiver;
  if (!ready.ok) return ready;
  if (args === undefined) return path.length === 0 ? receiver : follow(receiver, path, call);
  if (path.length === 1) return applier.apply(receiver.value, path[0], args, call);
  const holder = path.length === 0 ? receiver : follow(receiver, path.slice(0, -1), call);
  const callOn = (outcome: Outcome) => (outcome.ok ? applier.apply(outcome.value, path.at(-1), args, call) : outcome);
  return holder instanceof Promise ? holder.then(callOn) : callOn(holder);
}

/** Puts results where arguments refer to them, which `resolve` finds; fails as the first of them that failed. */
export function fillIn(args: unknown[], resolve: (reference: ResultReference) => Pending): Pending {
  const found = findReferences(args, ResultReference);
  const values = found.slots.map(({ reference }) => resolve(reference));
  const fill = (outcomes: Outcome[]): Outcome => {
    for (const [slot, outcome] of outcomes.entries()) {
      if (!outcome.ok) return outcome;
      found.slots[slot].put(outcome.value);
    }
    found.finish();
    return READY;
  };
  return values.some((value) => value instanceof Promise) ? Promise.all(values).then(fill) : fill(values as Outcome[]);
}

/** Calls a method, and has `counter` count what methods of lists look at; that throws where it is too much. */
export function applyCounted(
  counter: { spend(operations: number): void },
  receiver: unknown,
  method: string | undefined,
  args: unknown[],
  call: RunningCall,
): Pending {
  if (!Array.isArray(receiver)) return applyMember(receiver, method, args, call);
  try {
    counter.spend(costOfReading(receiver, method));
    const pending = applyMember(receiver, method, args, call);
    if (!(pending instanceof Promise) && pending.ok) counter.spend(costOfResult(pending.value));
    return pending;
  } catch (error) {
    return { ok: false, error };
  }
}

function applyMember(receiver: unknown, method: string | undefined, args: unknown[], call: RunningCall): Pending {
  try {
    return outcomeOf(
      method === undefined ? callFunction(receiver, args, call) : callMember(receiver, method, args, call),
    );
  } catch (error) {
    return { ok: false, error };
  }
}

/** Reads a property path for a call, waiting only at a step whose value is a promise. */
export function follow(from: Pending, path: readonly string[], call: RunningCall): Pending {
  let pending: Pending = from;
  for (const name of path) {
    pending =
      pending instanceof Promise ? pending.then((outcome) => read(outcome, name, call)) : read(pending, name, call);
  }
  return pending;
}

function read(receiver: Outcome, name: string, call: RunningCall): Pending {
  if (!receiver.ok) return receiver;
  try {
    return outcomeOf(readMember(receiver.value, name, call));
  } catch (error) {
    return { ok: false, error };
  }
}

/** The outcome of a method or getter that returned. */
export function outcomeOf(value: unknown): Pending {
  if (!isThenable(value)) return { ok: true, value };
  return Promise.resolve(value).then(
    (settled) => ({ ok: true, value: settled }),
    (error) => ({ ok: false, error: noteThrown(error) }),
  );
}

/** Whether a method's result is to be awaited. Data is not, whatever a peer has put into its `then`. */
function isThenable(value: unknown): value is PromiseLike<unknown> {
  if ((typeof value !== 'object' && typeof value !== 'function') || value === null) return false;
  return typeof (value as { then?: unknown }).then === 'function' && !(value instanceof Error || isPlainData(value));
}
