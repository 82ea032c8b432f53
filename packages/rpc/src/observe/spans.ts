import { answeredCall, followCalls, validTraceparent } from '../server/context.ts';
import { type ObserveCall, publicMessage, shortMethod } from './observe-calls.ts';

/** Identifies a span and its trace. */
export interface SpanIdentity {
  traceId: string;
  spanId: string;
  traceFlags: number;
  isRemote?: boolean;
}

/** Reads a `traceparent`. Returns undefined if it is missing or invalid. */
export function readTraceparent(text: string | undefined): SpanIdentity | undefined {
  const valid = validTraceparent(text);
  if (valid === undefined) return undefined;
  const [, traceId, spanId, flags] = valid.split('-');
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** Returns the `traceparent` of a span; undefined for a span that is not traced, whose ids are zero. */
export function writeTraceparent({ traceId, spanId, traceFlags }: SpanIdentity): string | undefined {
  return validTraceparent(`00-${traceId}-${spanId}-${(traceFlags & 0xff).toString(16).padStart(2, '0')}`);
}

/**
 * Forwards the `traceparent` of the call that is being answered, unchanged, to the calls that its method makes. Use it
 * in code that has no spans of its own and must not interrupt a trace. A call with a `traceparent` of its own keeps it.
 */
export function forwardTraces(): ObserveCall {
  followCalls();
  return ({ direction, traceparent }) => {
    const answered = direction === 'outgoing' && traceparent === undefined ? answeredCall() : undefined;
    return answered?.traceparent === undefined ? undefined : { traceparent: answered.traceparent };
  };
}

/** The tracing of the Workers runtime: `tracing` of `cloudflare:workers`, or `ctx.tracing`. */
export interface WorkersTracing {
  /** Begins a span that is active while the callback runs, and that lasts until it is ended. */
  startActiveSpan?(name: string, callback: (span: WorkersSpan) => void): void;
  /** Begins a span that is not active. */
  startSpan?(name: string): WorkersSpan;
}

/** A span of the Workers runtime. Members of later versions may be missing. */
export interface WorkersSpan {
  setAttribute(key: string, value: string | number): unknown;
  setStatus?(status: { code: 'error'; message?: string }): unknown;
  spanContext?(): SpanIdentity;
  end?(): void;
}

/**
 * Creates a span for each call in the Workers runtime's own traces, next to those of `fetch` and storage. Takes
 * `tracing` of `cloudflare:workers`. Does nothing if the runtime has no tracing, or only spans that do not last.
 */
export function workersSpans(tracing: WorkersTracing | undefined): ObserveCall {
  if (tracing?.startActiveSpan === undefined || tracing.startSpan === undefined) return () => undefined;
  return (call) => {
    const { direction, traceparent, address } = call;
    const method = shortMethod(call);
    // The span of an incoming call begins when the call is answered.
    let span = direction === 'outgoing' ? tracing.startSpan?.(`rpc ${method}`) : undefined;
    return {
      get traceparent() {
        const context = span?.spanContext?.();
        return context && writeTraceparent(context);
      },
      run(answer) {
        tracing.startActiveSpan?.(`rpc ${method}`, (begun) => {
          span = begun;
          answer();
        });
      },
      end({ outcome, error, code }) {
        span?.setAttribute('rpc.system.name', 'lumenize');
        span?.setAttribute('rpc.method', method);
        // The runtime chooses the parents of its spans itself. This attribute leads to the caller's trace.
        if (direction === 'incoming' && traceparent) span?.setAttribute('lumenize.rpc.traceparent', traceparent);
        if (outcome === 'error') {
          span?.setAttribute('error.type', code ?? (error instanceof Error ? error.name : '_OTHER'));
          span?.setStatus?.({ code: 'error', message: publicMessage(error, address) });
        }
        span?.end?.();
      },
    };
  };
}
