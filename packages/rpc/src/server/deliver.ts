import { refusal } from '../errors.ts';
import { isPromise } from '../peer/writer.ts';
import { type RunningCall, runFor } from './context.ts';
import { check } from './declare.ts';
import type { Declared } from './members.ts';
import type { Session } from './session.ts';

/** Thrown to end a transaction in which an asynchronous check has started and nothing has run yet. */
const CHECKING = new Error('it is still being found out whether the call may be made');

/**
 * Runs a method that is guarded, checked or exactlyOnce. The checks of an exactly-once method run in its transaction.
 * If they are asynchronous, that transaction is rolled back, and the method runs in a new one after they have passed.
 */
export function deliver(
  call: RunningCall,
  declared: Declared,
  receiver: object,
  args: unknown[],
  isOnPlace: boolean,
): unknown {
  const { client, stored } = call.peer as Session;
  const isOnce = declared.delivery === 'once';
  const isStored = isOnce && stored !== undefined;
  const run = (checked: unknown[]) => {
    if (isStored && !isOnPlace) {
      throw new TypeError(
        `${declared.name}() is exactlyOnce: call it on the connection's target or on what restorable methods return, with values`,
      );
    }
    return perform(call, declared, receiver, checked);
  };
  if (!isStored || !isOnPlace) {
    if (isOnce && !isStored && call.running.ageMs !== undefined) {
      throw refusal('OUTCOME_UNKNOWN', `${declared.name}() may have run: results are not stored for this client`);
    }
    const refused = (error: unknown) => Promise.reject(mayHaveRun(call, error));
    let checked: ReturnType<typeof check>;
    try {
      checked = check(call, declared, args);
    } catch (error) {
      throw mayHaveRun(call, error);
    }
    return isPromise(checked) ? checked.then(run, refused) : run(checked);
  }
  let checking: PromiseLike<unknown[]> | undefined;
  try {
    return stored().run(call, client?.name, declared, () => {
      const checked = check(call, declared, args);
      if (!isPromise(checked)) return run(checked);
      checking = checked;
      throw CHECKING;
    });
  } catch (error) {
    if (checking === undefined) throw error;
    return checking.then((checked) => stored().run(call, client?.name, declared, () => run(checked)));
  }
}

/** Runs a method or getter. */
export function perform(call: RunningCall, declared: Declared, receiver: object, args: unknown[]): unknown {
  const result = runFor(call, declared.isPrompt, () => (declared.method ?? declared.getter!).apply(receiver, args));
  if (declared.getter === undefined) declared.isPrompt = declared.isPrompt !== false && !isPromise(result);
  return result;
}

/** Returns the error of a call that may not be made. One that is sent again may have run before. */
function mayHaveRun({ running }: RunningCall, error: unknown): unknown {
  if (running.ageMs === undefined) return error;
  return refusal('OUTCOME_UNKNOWN', `it may have run before: ${(error as Error).message}`);
}
