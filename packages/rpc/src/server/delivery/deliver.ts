import { RpcError } from '../../errors/rpc-error.ts';
import { isReadOnlyMethod } from '../../session/data-members.ts';
import type { RunningCall } from '../../session/incoming/call-context.ts';
import { runIn, runThroughout } from '../../session/incoming/current-call.ts';
import type { AnyMember, Declared } from '../../session/incoming/declarations.ts';
import type { Delivery } from '../../session/incoming/delivery.ts';
import { denial } from '../../session/incoming/thrown.ts';

/** Thrown to end a transaction in which an asynchronous check has started and nothing has run yet. */
const CHECKING = new Error('it is still being found out whether the call may be made');

/**
 * Runs a method for a call that has to pass checks, that is sent again, or that must take effect exactly once. The
 * checks of an exactly-once method run in its transaction. If they are asynchronous, that transaction is rolled back,
 * and the method runs in a new one after they have passed.
 */
export function deliver(
  call: RunningCall | undefined,
  declared: Declared | undefined,
  method: AnyMember,
  receiver: unknown,
  name: string,
  args: unknown[],
): unknown {
  if (call === undefined) {
    // A checked method never runs unchecked, and without a call there is no caller to check.
    if (declared?.check !== undefined) throw denial(name);
    return Reflect.apply(method, receiver, args);
  }
  const { isResent } = call;
  const { results } = call.host;
  const delivery: Delivery = declared?.delivery ?? (isReadOnlyMethod(receiver, name) ? 'idempotent' : undefined);
  const store = delivery === 'exactlyOnce' ? results : undefined;
  // A passing call was answered or given up before, and its result is not stored, or not any more.
  const hasNoResult = store === undefined ? delivery !== 'idempotent' : call.isPassing || call.isMany;
  if (isResent && hasNoResult) throw mayHaveRun(name, delivery);
  const check = (): unknown[] | Promise<unknown[]> => declared?.check?.(call, args) ?? args;
  const run = (checked: unknown[]) => runIn(call, method, receiver, checked);
  if (store === undefined) {
    const recipes = declared?.isRestorable ? call.host.exportsWatcher?.recipes : undefined;
    const recipe = recipes?.extended(receiver as object, name, args);
    const checked = check();
    const result =
      checked instanceof Promise ? checked.then((given) => runThroughout(call, method, receiver, given)) : run(checked);
    if (recipe !== undefined) recipes!.note(result, recipe);
    return result;
  }
  let checking: Promise<unknown[]> | undefined;
  try {
    return store.run(call, name, args, () => {
      const checked = check();
      if (!(checked instanceof Promise)) return run(checked);
      checking = checked;
      throw CHECKING;
    });
  } catch (error) {
    if (checking === undefined) throw error;
    return checking.then((checked) =>
      runThroughout(call, () => store.run(call, name, args, () => run(checked)), undefined, [], true),
    );
  }
}

/** Makes the error for a call that may have run and is not run again. */
function mayHaveRun(method: string, delivery: Delivery): RpcError {
  const why = delivery === undefined ? 'is not declared to be idempotent or exactlyOnce' : 'has no stored result';
  return new RpcError('OUTCOME_UNKNOWN', `${method}() may have run before the connection was lost, and ${why}`);
}
