import type { RpcErrorCode } from '../errors/rpc-error.ts';
import type { CallWatch, ObserveCall, ObservedCall, ObservedEnd } from '../session/observe/observed-call.ts';
import { publicMessage, shortMethod } from './observe-calls.ts';
import {
  KIND_CLIENT,
  KIND_SERVER,
  type OpenTelemetry,
  type SpanAttributes,
  type SpanTracer,
  STATUS_ERROR,
  type TracedSpan,
} from './open-telemetry.ts';
import { readTraceparent, writeTraceparent } from './traceparent.ts';

/** How calls are traced. */
export interface TraceOptions {
  /** Name of the service, such as that of the class, put before the method in names of spans: `Counter/increment`. @default none */
  service?: string;
  /** Which of the calls have spans. @default all */
  filter?: (call: ObservedCall) => boolean;
}

/**
 * Has a span for each call, by the semantic conventions for RPC: of kind client where it is made, of kind server where it is
 * answered, whose parent is the client's by the `traceparent` that travels with the call. While a method runs its span is
 * active, so that what it does and calls is below it. Takes the package `@opentelemetry/api` itself.
 */
export function traceCalls<Context>(api: OpenTelemetry<Context>, options: TraceOptions = {}): ObserveCall {
  // Asked for once: until a provider is registered the API's own tracer stands in for the one to come.
  const tracer = api.trace.getTracer('@lumenize/rpc');
  const { filter, service } = options;
  return (call) => (filter?.(call) === false ? undefined : new CallSpan(api, tracer, call, service));
}

class CallSpan<Context> implements CallWatch {
  readonly #api: OpenTelemetry<Context>;
  readonly #context: Context;
  readonly #span: TracedSpan;
  readonly #call: ObservedCall;

  constructor(api: OpenTelemetry<Context>, tracer: SpanTracer<Context>, call: ObservedCall, service?: string) {
    this.#api = api;
    this.#call = call;
    const { direction, traceparent, address } = call;
    const name = shortMethod(call);
    const method = service === undefined ? name : `${service}/${name}`;
    const parent = readTraceparent(traceparent);
    const active = api.context.active();
    const context = parent === undefined ? active : api.trace.setSpanContext(active, parent);
    const kind = direction === 'outgoing' ? KIND_CLIENT : KIND_SERVER;
    const attributes = { 'rpc.system.name': 'lumenize', 'rpc.method': method, ...serverOf(address) };
    this.#span = tracer.startSpan(method, { kind, attributes }, context);
    this.#context = api.trace.setSpan(context, this.#span);
  }

  get traceparent(): string | undefined {
    return writeTraceparent(this.#span.spanContext());
  }

  run(answer: () => void): void {
    this.#api.context.with(this.#context, answer);
  }

  end(end: ObservedEnd): void {
    const span = this.#span;
    if (span.isRecording()) this.#describe(end);
    span.end();
  }

  #describe({ outcome, error, code, callBytes, resultBytes }: ObservedEnd): void {
    const span = this.#span;
    const { direction, address } = this.#call;
    span.setAttributes({
      ...(callBytes !== undefined && { 'lumenize.rpc.call.bytes': callBytes }),
      ...(resultBytes !== undefined && { 'lumenize.rpc.result.bytes': resultBytes }),
    });
    if (outcome !== 'error') return;
    const type = code ?? (error instanceof Error ? error.name : '_OTHER');
    span.setAttributes({ 'error.type': type, ...(code !== undefined && { 'rpc.response.status_code': code }) });
    const isIncoming = direction === 'incoming';
    if (isIncoming && code === 'METHOD_NOT_FOUND') {
      // Names that strangers make up are not to become names of spans.
      span.updateName('_OTHER');
      span.setAttributes({ 'rpc.method': '_OTHER', 'rpc.method_original': shortMethod(this.#call) });
    }
    if (isIncoming && isCallersFault(code)) return;
    const message = publicMessage(error, address);
    span.setStatus({ code: STATUS_ERROR, message });
    // Where it was thrown, and not again by everyone who is told.
    if (isIncoming) span.recordException(error instanceof Error ? error : message);
  }
}

/** Where a call goes, where that is a URL. */
function serverOf(address: string | undefined): SpanAttributes {
  if (address === undefined || !URL.canParse(address)) return {};
  const { hostname, port, protocol } = new URL(address);
  if (hostname === '') return {};
  const usual = protocol === 'wss:' || protocol === 'https:' ? 443 : 80;
  return { 'server.address': hostname, 'server.port': port === '' ? usual : Number(port) };
}

const OF_CALLERS: ReadonlySet<RpcErrorCode> = new Set([
  'DENIED',
  'EXPIRED',
  'INVALID_ARGUMENTS',
  'METHOD_NOT_FOUND',
  'RATE_LIMITED',
  'CANCELLED',
  'TIMED_OUT',
  'REFERENCE_LOST',
]);

/** Returns true if a code says that the caller did something wrong, or gave up: no failure of the side that answers. */
function isCallersFault(code: RpcErrorCode | undefined): boolean {
  return code !== undefined && OF_CALLERS.has(code);
}
