// The part of OpenTelemetry's API that tracing needs, as it is in every version 1: so nothing of it has to be installed.

/** The package `@opentelemetry/api`, or what is like it. */
export interface OpenTelemetry<Context = unknown> {
  readonly trace: {
    getTracer(name: string): SpanTracer<Context>;
    setSpan(context: Context, span: TracedSpan): Context;
    setSpanContext(context: Context, spanContext: SpanIdentity): Context;
  };
  readonly context: {
    active(): Context;
    with(context: Context, run: () => void): void;
  };
}

/** A tracer of OpenTelemetry. */
export interface SpanTracer<Context = unknown> {
  startSpan(name: string, options: { kind: number; attributes: SpanAttributes }, context: Context): TracedSpan;
}

/** The identity of a span. */
export type SpanAttributes = Record<string, string | number>;

/** Which span it is, of which trace. */
export interface SpanIdentity {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
}

/** A span of OpenTelemetry. */
export interface TracedSpan {
  spanContext(): SpanIdentity;
  isRecording(): boolean;
  setAttributes(attributes: SpanAttributes): unknown;
  setStatus(status: { code: number; message?: string }): unknown;
  updateName(name: string): unknown;
  recordException(exception: Error | string): void;
  end(): void;
}

// Numbers of the API's enumerations.
export const KIND_SERVER = 1;
export const KIND_CLIENT = 2;
export const STATUS_ERROR = 2;
