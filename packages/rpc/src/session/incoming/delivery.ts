import { RpcError } from '../../errors/rpc-error.ts';

/**
 * What may become of a call whose connection was lost before its answer came. Without any it is not made again.
 * `idempotent`: it is. `exactlyOnce`: it is, unless it has run, in which case its stored result is the answer.
 */
export type Delivery = 'idempotent' | 'exactlyOnce' | undefined;

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
