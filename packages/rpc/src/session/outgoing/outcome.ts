import type { Outcome } from '../../protocol/result-frame.ts';
import { Call } from './call.ts';
import type { Node } from './node.ts';

/** The outcome of the call that a node starts from; undefined where it starts elsewhere or the call has not settled. */
export function outcomeOfBase({ base }: Node): Outcome | undefined {
  return base instanceof Call ? base.outcome : undefined;
}

/** Thrown where a value holds a result that has failed: what uses it fails in the same way. */
export class FailedResult {
  readonly error: unknown;

  constructor(error: unknown) {
    this.error = error;
  }
}
