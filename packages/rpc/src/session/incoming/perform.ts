import { Recording } from '../../protocol/recording.ts';
import type { Outcome, Pending } from '../../protocol/result-frame.ts';
import { isPlainData } from '../data-members.ts';
import type { Performer } from '../settings.ts';
import type { RunningCall } from './call-context.ts';
import { callFunction, callMember, readMember } from './members.ts';
import { noteThrown } from './thrown.ts';

/** The outcome to wait for when there is nothing to wait for. */
export const READY: Outcome = { ok: true, value: undefined };

/** Turns outcomes into one, at once if all are there. */
export function whenAll(pending: readonly Pending[], act: (outcomes: Outcome[]) => Outcome): Pending {
  return pending.some((each) => each instanceof Promise) ? Promise.all(pending).then(act) : act(pending as Outcome[]);
}

/**
 * Follows a path from a receiver, and calls the member at its end if there are arguments. Acts when the receiver is
 * there and the arguments are `ready`, or at once if both are. Without `ready`, it only reads, for an operation that
 * has a turn itself. Never throws.
 */
export function perform(
  from: Pending,
  path: readonly string[],
  args: unknown[] | undefined,
  call: RunningCall,
  performer: Performer,
  ready?: Pending,
): Pending {
  const { session } = performer;
  if (from instanceof Promise || ready instanceof Promise) {
    const both = Promise.all([from, ready]);
    const act = ([receiver, filled]: (Outcome | undefined)[]) =>
      perform(receiver!, path, args, call, performer, filled);
    return (ready && performer.turns)?.after(both, act) ?? both.then(act);
  }
  if (!from.ok) return from;
  if (ready?.ok === false) return ready;
  try {
    let { value } = from;
    const names = args === undefined ? path.length : path.length - 1;
    for (let at = 0; at < names; at++) {
      const read = outcomeOf(readMember(value, path[at], call));
      if (read instanceof Promise) {
        return read.then((outcome) => perform(outcome, path.slice(at + 1), args, call, performer, ready));
      }
      value = (read as { value?: unknown }).value;
    }
    if (args === undefined) return { ok: true, value };
    performer.incoming.begins(call.callId);
    // Without a name, the receiver itself is called.
    const method: string | undefined = path[names];
    if (args[0] instanceof Recording && session.settings.recordings !== undefined) {
      return session.settings.recordings.map(value, method, args, call, performer);
    }
    const list = Array.isArray(value) ? value : undefined;
    if (list !== undefined) session.bounds?.checkList(list, method, args);
    const result = method === undefined ? callFunction(value, args, call) : callMember(value, method, args, call);
    if (list !== undefined) session.bounds?.spendOnList(performer, list, method, result);
    return outcomeOf(result);
  } catch (error) {
    return { ok: false, error };
  }
}

/**
 * Returns the outcome of a method or getter that has returned. Data is not awaited, even if the peer has put a `then`
 * into it.
 */
export function outcomeOf(value: unknown): Pending {
  const isData = typeof (value as { then?: unknown } | null | undefined)?.then !== 'function';
  if (isData || value instanceof Error || isPlainData(value)) return { ok: true, value };
  return Promise.resolve(value).then(
    (settled) => ({ ok: true, value: settled }),
    (error) => ({ ok: false, error: noteThrown(error) }),
  );
}
