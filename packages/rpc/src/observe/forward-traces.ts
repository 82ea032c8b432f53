import { answeredCall } from '../session/incoming/call-context.ts';
import type { ObserveCall } from '../session/observe/observed-call.ts';

/**
 * Passes the `traceparent` of the call that is being answered on to the calls that its method makes, as it is: for who takes no
 * part in a trace, and does not want to break it. A call that has one of its own keeps that.
 */
export function forwardTraces(): ObserveCall {
  return ({ direction, traceparent }) => {
    if (direction === 'incoming' || traceparent !== undefined) return undefined;
    const forwarded = answeredCall()?.traceparent;
    return forwarded === undefined ? undefined : { traceparent: forwarded };
  };
}
