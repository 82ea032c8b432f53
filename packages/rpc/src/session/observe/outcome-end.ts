import { RpcError } from '../../errors/rpc-error.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import type { ObservedEnd } from './observed-call.ts';

/** What an observer is told of an outcome; undefined for one that stays on the other side. */
export function endOf(
  outcome: Outcome | undefined,
  measured: Pick<ObservedEnd, 'durationMs' | 'callBytes' | 'resultBytes'>,
): ObservedEnd {
  if (outcome === undefined)
    return { outcome: 'step', value: undefined, error: undefined, code: undefined, ...measured };
  if (outcome.ok) return { outcome: 'value', value: outcome.value, error: undefined, code: undefined, ...measured };
  const { error } = outcome;
  const code = error instanceof RpcError ? error.code : undefined;
  return { outcome: 'error', value: undefined, error, code, ...measured };
}
