import * as api from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider, InMemorySpanExporter, SimpleSpanProcessor } from '@opentelemetry/sdk-trace-base';

/** What tests look at of a span. */
export interface SeenSpan {
  readonly name: string;
  readonly kind: number;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string | undefined;
  /** Whether the parent is known by a `traceparent` that arrived. */
  readonly hasRemoteParent: boolean;
  readonly attributes: Record<string, unknown>;
  readonly status: { readonly code: number; readonly message?: string };
  readonly events: readonly string[];
}

/** Registers OpenTelemetry's own SDK; what it returns gives, once, the spans that have ended. */
export function recordSpans(): () => SeenSpan[] {
  const exporter = new InMemorySpanExporter();
  api.trace.setGlobalTracerProvider(new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }));
  api.context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return () => {
    const spans = exporter.getFinishedSpans().map((span): SeenSpan => {
      const { traceId, spanId } = span.spanContext();
      return {
        name: span.name,
        kind: span.kind,
        traceId,
        spanId,
        parentSpanId: span.parentSpanContext?.spanId,
        hasRemoteParent: span.parentSpanContext?.isRemote ?? false,
        attributes: { ...span.attributes },
        status: { ...span.status },
        events: span.events.map(({ name }) => name),
      };
    });
    exporter.reset();
    return spans;
  };
}
