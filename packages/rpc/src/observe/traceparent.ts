import { validTraceparent } from '../protocol/trace-context.ts';
import type { SpanIdentity } from './open-telemetry.ts';

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
