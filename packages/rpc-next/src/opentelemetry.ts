// Exports for applications that trace with OpenTelemetry.

export type { SpanIdentity } from './observe/spans.ts';
export {
  type OpenTelemetry,
  type SpanAttributes,
  type SpanTracer,
  type TracedSpan,
  type TraceOptions,
  traceCalls,
} from './observe/trace-calls.ts';
