import { RpcError } from '../../errors/rpc-error.ts';
import type { DeliveredCall, ResultStore } from './result-store.ts';

/**
 * What may become of a call whose connection was lost before its answer came. Without any it is not made again.
 * `idempotent`: it is. `exactlyOnce`: it is, unless it has run, in which case its stored result is the answer.
 */
export type Delivery = 'idempotent' | 'exactlyOnce' | undefined;

/** Runs a method as it was declared to be delivered, for a call that is made again, or that is to have an effect exactly once. */
export function deliver(
  call: DeliveredCall & { readonly results: ResultStore | undefined },
  delivery: Delivery,
  method: string,
  args: unknown[],
  run: () => unknown,
): unknown {
  const { results, isAgain } = call;
  // Of many calls under one id, as in a callback of `map`, none can be told from the others.
  const isOnce = delivery === 'exactlyOnce' && results !== undefined && !call.isMany;
  if (isAgain && delivery !== 'idempotent' && !isOnce) throw mayHaveRun(method);
  return isOnce ? results.run(call, method, args, run) : run();
}

/** The error for what is not run again. */
export function mayHaveRun(method: string): RpcError {
  return new RpcError(
    'OUTCOME_UNKNOWN',
    `${method}() may have run before the connection was lost, and is not declared to be idempotent or exactlyOnce`,
  );
}

/** What to say of a call that is not made again, but may have run before: that it did not, nobody knows. */
export function inDoubt(refusal: RpcError): RpcError {
  return new RpcError('OUTCOME_UNKNOWN', `it may have run, and was refused when it was made again: ${refusal.message}`);
}
