import type { RpcErrorCode } from '../errors/rpc-error.ts';
import {
  type ObserveCall,
  type ObservedCall,
  type ObservedEnd,
  publicAddress,
  publicMessage,
  shortMethod,
} from './observe-calls.ts';
import { readTraceparent } from './spans.ts';

/** Destination of log lines: `console`, pino, or alike. */
export interface CallLogger {
  debug(fields: CallLine, message: string): void;
  info(fields: CallLine, message: string): void;
  warn(fields: CallLine, message: string): void;
  error(fields: CallLine, message: string): void;
}

/** Fields of a call's log line. Undefined ones are left out. */
export interface CallLine {
  /** Direction of the call. */
  direction: ObservedCall['direction'];
  /** Path that was called or read. */
  method: string;
  /** Outcome of the call. */
  outcome: ObservedEnd['outcome'];
  /** Duration in milliseconds. */
  durationMs: number;
  /** Bytes of the call, where they are known. */
  callBytes?: number;
  /** Bytes of the result, where they are known. */
  resultBytes?: number;
  /** Code of an `RpcError`. */
  code?: RpcErrorCode;
  /** Name and message of an error. */
  error?: string;
  /** Number of an incoming call. */
  callId?: number;
  /** Connection of an incoming call. */
  connectionId?: string;
  /** Destination of a client's outgoing call, without the query of its URL. */
  address?: string;
  /** Trace that the call belongs to. */
  traceId?: string;
  /** Arguments of the call, with the option `values`. */
  args?: readonly unknown[];
  /** Result of the call, with the option `values`. */
  value?: unknown;
}

/** Options for logging calls. */
export interface LogOptions {
  /**
   * Selects the calls to log, when they have ended: for example those whose error `onError` has not logged already.
   * @default all
   */
  filter?: (call: ObservedCall, end: ObservedEnd) => boolean;
  /** Share of successful calls that is logged: 0.01 for one in a hundred. Other calls are always logged. @default 1 */
  sample?: number;
  /** Duration from which calls are logged whatever the share, in milliseconds. @default never */
  slowMs?: number;
  /** Level of successful calls. @default 'info' */
  level?: 'debug' | 'info';
  /** Log arguments and results too, which may be private. @default false */
  values?: boolean;
}

/**
 * Logs a line for each call when it ends: at `error` for what a method threw and for defects, at `warn` for other failures, and for
 * success at the level of the options.
 */
export function logCalls(logger: CallLogger, options: LogOptions = {}): ObserveCall {
  const { filter, sample = 1, slowMs = Number.POSITIVE_INFINITY, level = 'info', values = false } = options;
  return (call) => ({
    end(end) {
      if (filter?.(call, end) === false) return;
      const isError = end.outcome === 'error';
      if (!isError && end.durationMs <= slowMs && Math.random() >= sample) return;
      const isExpected = end.code !== undefined && end.code !== 'INTERNAL';
      const message = `${call.direction} call ${isError ? 'failed' : 'done'}`;
      logger[!isError ? level : isExpected ? 'warn' : 'error'](lineOf(call, end, values), message);
    },
  });
}

function lineOf(call: ObservedCall, end: ObservedEnd, values: boolean): CallLine {
  const { direction, callId, caller, address, args } = call;
  const { outcome, durationMs, code, error, callBytes, resultBytes, value } = end;
  const message = publicMessage(error, address);
  const line: CallLine = {
    direction,
    method: shortMethod(call),
    outcome,
    durationMs: Math.round(durationMs * 100) / 100,
    callBytes,
    resultBytes,
    code,
    error: outcome !== 'error' ? undefined : error instanceof Error ? `${error.name}: ${message}` : message,
    callId,
    connectionId: caller?.connectionId,
    address: address && publicAddress(address),
    traceId: readTraceparent(call.traceparent)?.traceId,
    ...(values && { args, value }),
  };
  return Object.fromEntries(Object.entries(line).filter(([, each]) => each !== undefined)) as unknown as CallLine;
}
