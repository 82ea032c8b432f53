import type { Operation } from '../protocol/operation.ts';
import type { ByReference } from './by-reference.ts';
import type { DescribedCall } from './frame-description.ts';

/** Describes an operation of a call frame, or of a recording. */
export function describeCall(
  id: number,
  { path, terms, answered }: Operation,
  receiver: ByReference,
  args: readonly unknown[] | undefined,
): DescribedCall {
  return {
    id,
    operation: args === undefined ? 'get' : 'apply',
    receiver,
    path: args === undefined ? path : path.slice(0, -1),
    method: args === undefined ? undefined : path.at(-1),
    args,
    timeoutMs: terms?.timeoutMs,
    traceparent: terms?.traceparent,
    isStep: !answered,
  };
}
