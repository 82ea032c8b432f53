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

/** Destination of lines: `console`, pino, or what is like them. */
export interface CallLogger {
  debug(fields: CallLine, message: string): void;
  info(fields: CallLine, message: string): void;
  warn(fields: CallLine, message: string): void;
  error(fields: CallLine, message: string): void;
}

/** The line of a call. Properties that are undefined are not in it. */
export interface CallLine {
  /** Direction: this side made the call, or answered it. */
  direction: ObservedCall['direction'];
  /** The path that was called or read. */
  method: string;
  /** Outcome of the call. */
  outcome: ObservedEnd['outcome'];
  /** Duration in milliseconds. */
  durationMs: number;
  /** Bytes of the call, where they are known. */
  callBytes?: number;
  /** Bytes of the result, where they are known. */
  resultBytes?: number;
  /** The code of an error of the library's kind. */
  code?: RpcErrorCode;
  /** Name and message of an error. */
  error?: string;
  /** The number of an incoming call. */
  callId?: number;
  /** The connection that an incoming call came by. */
  connectionId?: string;
  /** Of an outgoing call of a client: where it went, without the query of a URL. */
  address?: string;
  /** The trace that the call belongs to. */
  traceId?: string;
  /** The call's arguments, where `values` asks for them. */
  args?: readonly unknown[];
  /** The result, where `values` asks for that. */
  value?: unknown;
}

/** Chooses what is logged, and how. */
export interface LogOptions {
  /**
   * Chooses the calls that are logged at all, when they have ended: such as those of which `onError` has not logged the error already.
   * @default all
   */
  filter?: (call: ObservedCall, end: ObservedEnd) => boolean;
  /** Of calls that succeed, the share that is logged: 0.01 for one in a hundred. Others always are. @default 1 */
  sample?: number;
  /** Calls that take longer than this are logged whatever the share, in milliseconds. @default never */
  slowMs?: number;
  /** The level of calls that succeed. @default 'info' */
  level?: 'debug' | 'info';
  /** Log arguments and results too: they may be anything, and private. @default false */
  values?: boolean;
}

/**
 * Logs a line for each call when it ends: at `error` what a method threw and what is a defect, at `warn` what the caller or the
 * circumstances are to blame for, and what succeeds at the level of the options.
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
