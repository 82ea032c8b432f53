// For applications that trace with OpenTelemetry.
export {
  type OpenTelemetry,
  type SpanAttributes,
  type SpanTracer,
  type TracedSpan,
  type TraceOptions,
  traceCalls,
} from './observe/trace-calls.ts';
export type { SpanIdentity } from './observe/traceparent.ts';
