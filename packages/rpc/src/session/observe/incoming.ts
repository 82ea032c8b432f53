import type { CallObservation, RunningCall } from '../incoming/call-context.ts';
import type { ObserveCall } from './observed-call.ts';
import type { ObservedOperation } from './observer.ts';
import { endOf } from './outcome-end.ts';
import { watch } from './watched.ts';

/** Tells observers of a call that is to be answered; undefined where none wants to know how it ends. */
export function observeIncoming(
  observers: readonly ObserveCall[],
  call: RunningCall,
  { path, args, bytes, onError }: ObservedOperation,
): CallObservation | undefined {
  const watched = watch(
    observers,
    {
      direction: 'incoming',
      method: path.join('.') || (args === undefined ? 'result' : 'function'),
      isRead: args === undefined,
      args,
      traceparent: call.traceparent,
      address: undefined,
      caller: call.caller,
      callId: call.callId,
    },
    (error) => onError(error, 'observe', call),
  );
  if (watched === undefined) return undefined;
  const startedAt = performance.now();
  return {
    run: (answer) => watched.run(answer),
    ended: (outcome, resultBytes) =>
      watched.end(endOf(outcome, { durationMs: performance.now() - startedAt, callBytes: bytes, resultBytes })),
  };
}
