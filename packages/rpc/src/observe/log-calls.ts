import type { RpcErrorCode } from '../errors.ts';
import {
  type ObserveCall,
  type ObservedCall,
  type ObservedEnd,
  publicAddress,
  publicMessage,
  shortMethod,
} from './observe-calls.ts';
import { readTraceparent } from './spans.ts';

/** Destination of log lines: `console`, a pino logger, or a similar object. */
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
  /** Bytes of the call, if they are known. */
  callBytes?: number;
  /** Bytes of the result, if they are known. */
  resultBytes?: number;
  /** Code of the error, if it is an `RpcError`. */
  code?: RpcErrorCode;
  /** Name and message of the error. */
  error?: string;
  /** Id of an incoming call. */
  callId?: number;
  /** Id of the connection of an incoming call. */
  connectionId?: string;
  /** Destination of a client's outgoing call, without the query and the credentials of its URL. */
  address?: string;
  /** Id of the trace that the call belongs to. */
  traceId?: string;
  /** Arguments of the call. Only with the option `values`. */
  args?: readonly unknown[];
  /** Result of the call. Only with the option `values`. */
  value?: unknown;
}

/** Options for `logCalls`. */
export interface LogOptions {
  /**
   * Selects the calls to log when they have ended, for example only those whose error `onError` has not logged already.
   * @default all
   */
  filter?: (call: ObservedCall, end: ObservedEnd) => boolean;
  /**
   * Share of the successful calls that is logged, such as 0.01 for one in a hundred. Failed calls are always logged.
   * @default 1
   */
  sample?: number;
  /** Duration in milliseconds above which a call is always logged, whatever the share. @default never */
  slowMs?: number;
  /** Log level of successful calls. @default 'info' */
  level?: 'debug' | 'info';
  /** Logs arguments and results, too. They may be private. @default false */
  values?: boolean;
}

/**
 * Logs a line for each call when it ends. Errors that methods threw and defects are logged at `error`, other failures
 * at `warn`, and successful calls at the level in the options.
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
