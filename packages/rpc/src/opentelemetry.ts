// For applications that trace with OpenTelemetry.
export type {
  OpenTelemetry,
  SpanAttributes,
  SpanIdentity,
  SpanTracer,
  TracedSpan,
} from './observe/open-telemetry.ts';
export { type TraceOptions, traceCalls } from './observe/trace-calls.ts';
