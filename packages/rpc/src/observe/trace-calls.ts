import type { CodesThat, CodeTable } from '../errors.ts';
import { type ObserveCall, type ObservedCall, type ObservedEnd, publicMessage, shortMethod } from './observe-calls.ts';
import { readTraceparent, type SpanIdentity, writeTraceparent } from './spans.ts';

// The part of OpenTelemetry's API that tracing needs, as it is in every version 1. It is declared here, so that nothing
// has to be installed.

/** The package `@opentelemetry/api`, or a similar object. */
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

/** The attributes of a span. */
export type SpanAttributes = Record<string, string | number>;

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
const KIND_SERVER = 1;
const KIND_CLIENT = 2;
const STATUS_ERROR = 2;

/** Options for `traceCalls`. */
export interface TraceOptions {
  /**
   * Name of the service, such as the class. It is put before the method in the names of spans: `Counter/increment`.
   * @default none
   */
  service?: string;
  /** Selects the calls that have spans. @default all */
  filter?: (call: ObservedCall) => boolean;
}

/**
 * Creates a span for each call, by OpenTelemetry's semantic conventions for RPC: of kind client on the side that makes
 * the call, and of kind server on the side that answers it. A `traceparent` travels with the call and links the two.
 * While a method runs, its span is active, so that the method's own spans and calls are below it. Takes the package
 * `@opentelemetry/api` itself.
 */
export function traceCalls<Context>(api: OpenTelemetry<Context>, options: TraceOptions = {}): ObserveCall {
  // Asked for once: until a provider is registered, the API returns a tracer that uses the provider later.
  const tracer = api.trace.getTracer('@lumenize/rpc');
  const { filter, service } = options;
  return (call) => {
    if (filter?.(call) === false) return undefined;
    const method = service === undefined ? shortMethod(call) : `${service}/${shortMethod(call)}`;
    const parent = readTraceparent(call.traceparent);
    const active = api.context.active();
    const context = parent === undefined ? active : api.trace.setSpanContext(active, parent);
    const kind = call.direction === 'outgoing' ? KIND_CLIENT : KIND_SERVER;
    const attributes = { 'rpc.system.name': 'lumenize', 'rpc.method': method, ...serverOf(call.address) };
    const span = tracer.startSpan(method, { kind, attributes }, context);
    const inside = api.trace.setSpan(context, span);
    return {
      get traceparent() {
        return writeTraceparent(span.spanContext());
      },
      run: (answer) => api.context.with(inside, answer),
      end(end) {
        if (span.isRecording()) describeEnd(span, call, end);
        span.end();
      },
    };
  };
}

function describeEnd(span: TracedSpan, call: ObservedCall, end: ObservedEnd): void {
  const { outcome, error, code, callBytes, resultBytes } = end;
  span.setAttributes({
    ...(callBytes !== undefined && { 'lumenize.rpc.call.bytes': callBytes }),
    ...(resultBytes !== undefined && { 'lumenize.rpc.result.bytes': resultBytes }),
  });
  if (outcome !== 'error') return;
  const type = code ?? (error instanceof Error ? error.name : '_OTHER');
  span.setAttributes({ 'error.type': type, ...(code !== undefined && { 'rpc.response.status_code': code }) });
  const isIncoming = call.direction === 'incoming';
  if (isIncoming && code === 'METHOD_NOT_FOUND') {
    // Names that strangers invent must not become names of spans.
    span.updateName('_OTHER');
    span.setAttributes({ 'rpc.method': '_OTHER', 'rpc.method_original': shortMethod(call) });
  }
  if (isIncoming && OF_CALLERS[code!] === 1) return;
  const message = publicMessage(error, call.address);
  span.setStatus({ code: STATUS_ERROR, message });
  // Recorded on the side where the error was thrown, and not again on the side that receives it.
  if (isIncoming) span.recordException(error instanceof Error ? error : message);
}

/** Returns the attributes for the destination of a call, if it is a URL. */
function serverOf(address: string | undefined): SpanAttributes {
  if (address === undefined || !URL.canParse(address)) return {};
  const { hostname, port, protocol } = new URL(address);
  if (hostname === '') return {};
  const usual = protocol === 'wss:' || protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': Number(port || usual) };
}

/**
 * Codes of errors that the caller caused, or of calls that it gave up. They are no failures of the side that answers.
 */
const OF_CALLERS: CodeTable<1> = {
  DENIED: 1,
  EXPIRED: 1,
  INVALID_ARGUMENTS: 1,
  METHOD_NOT_FOUND: 1,
  RATE_LIMITED: 1,
  CANCELLED: 1,
  TIMED_OUT: 1,
  REFERENCE_LOST: 1,
} satisfies CodesThat<'callers'>;
