import { validTraceparent } from '../protocol/operation.ts';
import { answeredCall } from '../session/incoming/call-context.ts';
import type { ObserveCall } from './observed-call.ts';

/** Identifies a span, and its trace. */
export interface SpanIdentity {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
}

/** Reads a `traceparent`; undefined where it is none. */
export function readTraceparent(text: string | undefined): SpanIdentity | undefined {
  const valid = validTraceparent(text);
  if (valid === undefined) return undefined;
  const [, traceId, spanId, flags] = valid.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Writes the `traceparent` of a span; undefined for one that is not traced, whose ids are zero. */
export function writeTraceparent({ traceId, spanId, traceFlags }: SpanIdentity): string | undefined {
  return validTraceparent(`00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`);
}

/**
 * Passes the `traceparent` of the call that is being answered on to the calls that its method makes, as it is: for who takes no
 * part in a trace, and does not want to break it. A call that has one of its own keeps that.
 */
export function forwardTraces(): ObserveCall {
  return ({ direction, traceparent }) => {
    const answered = direction === 'outgoing' && traceparent === undefined ? answeredCall() : undefined;
    return answered?.traceparent === undefined ? undefined : { traceparent: answered.traceparent };
  };
}
