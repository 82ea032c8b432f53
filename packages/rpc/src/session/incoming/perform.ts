import type { Operation } from '../../protocol/operation.ts';
import { Recording } from '../../protocol/recording.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { isPlainData } from '../data-members.ts';
import type { Performer } from '../settings.ts';
import type { RunningCall } from './call-context.ts';
import type { Pending } from './held-results.ts';
import { callFunction, callMember, readMember } from './members.ts';
import { READY } from './result-slots.ts';
import { noteThrown } from './thrown.ts';

/** Performs an operation when its receiver is there and its arguments are `ready`: at once where both are. Never throws. */
export function perform(
  receiver: Pending,
  ready: Pending,
  operation: Pick<Operation, 'path' | 'args'>,
  call: RunningCall,
  performer: Performer,
): Pending {
  if (receiver instanceof Promise || ready instanceof Promise) {
    return performer.turns.after(Promise.all([receiver, ready]), ([from, filled]) =>
      perform(from, filled, operation, call, performer),
    );
  }
  if (!receiver.ok) return receiver;
  if (!ready.ok) return ready;
  const { path, args } = operation;
  if (args === undefined) return follow(receiver, path, call);
  if (path.length > 1) {
    const holder = follow(receiver, path.slice(0, -1), call);
    const method = { path: path.slice(-1), args };
    if (!(holder instanceof Promise)) return perform(holder, READY, method, call, performer);
    return holder.then((outcome) => perform(outcome, READY, method, call, performer));
  }
  const { value } = receiver;
  const [method] = path;
  try {
    if (args[0] instanceof Recording && performer.settings.recordings !== undefined) {
      return performer.settings.recordings.map(value, method, args, call, performer);
    }
    // Without a name it is the receiver itself that is called.
    const result = method === undefined ? callFunction(value, args, call) : callMember(value, method, args, call);
    if (Array.isArray(value)) performer.bounds?.spendOnList(performer, value, method, result);
    return typeof result === 'object' || typeof result === 'function' ? outcomeOf(result) : { ok: true, value: result };
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

/** The outcome of a method or getter that returned. Data is not awaited, whatever a peer has put into its `then`. */
export function outcomeOf(value: unknown): Pending {
  const isObject = (typeof value === 'object' && value !== null) || typeof value === 'function';
  if (!isObject || typeof (value as { then?: unknown }).then !== 'function') return { ok: true, value };
  if (value instanceof Error || isPlainData(value)) return { ok: true, value };
  return Promise.resolve(value).then(
    (settled) => ({ ok: true, value: settled }),
    (error) => ({ ok: false, error: noteThrown(error) }),
  );
}
