import { type Observer, observeCalls } from '@lumenize/rpc/observe';
import { traceCalls } from '@lumenize/rpc/opentelemetry';
import { context, trace } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { BasicTracerProvider } from '@opentelemetry/sdk-trace-base';

let observer: Observer | undefined;

/**
 * Returns an observer that creates a span for each call, with OpenTelemetry's own SDK. The SDK keeps and exports no
 * spans.
 */
export function tracing(): Observer {
  observer ??= begin();
  return observer;
}

function begin(): Observer {
  trace.setGlobalTracerProvider(new BasicTracerProvider());
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  return observeCalls(traceCalls({ trace, context }));
}
