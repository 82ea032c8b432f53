import { type CodesThat, type CodeTable, RpcError, type RpcErrorCode } from '../errors.ts';
import type { CallContext, Caller } from '../types/call-context.ts';

/** Reports an error as it was thrown, with the name of the method and its call. */
export type OnError = (error: unknown, method: string, call: CallContext | undefined) => void;

/**
 * Called when a call, a frame or a connection is refused. It gets the code, the method's name or a phrase such as
 * `'a frame'`, and the caller.
 */
export type OnRefused = (code: RpcErrorCode, what: string, caller: Caller | undefined) => void;

/** Log lines per second. A caller that makes a method fail again and again must not fill the log. */
const MAX_LINES = 10;
/** Longest name in a log line, in UTF-16 units. */
const MAX_NAME_LENGTH = 100;

/** Runs a job. An error that it throws, or rejects with, is reported to `failed` and has no other effect. */
export function attempt(job: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = job();
    // Node ends a process in which a promise rejects and nobody handles it.
    if (result instanceof Promise) result.catch(failed);
  } catch (error) {
    failed(error);
  }
}

/** Calls a hook of the application, and logs its error. */
export function callHook(name: string, told: () => unknown): void {
  attempt(told, (error) => console.error(`${name}() failed:`, error));
}

/** Makes the default `onError`, which logs errors that look like defects. */
export function createErrorLog(): OnError {
  let second = 0;
  let lines = 0;
  return (error, method) => {
    if (!isDefect(error)) return;
    const now = Math.floor(Date.now() / 1000);
    if (now !== second) [second, lines] = [now, 0];
    const name = method.slice(0, MAX_NAME_LENGTH);
    if (++lines <= MAX_LINES) console.error(`${/\s/.test(name) ? name : `${name}()`} failed:`, error);
  };
}

/** Returns true for errors that look like defects. Errors of the application's own classes are deliberate answers. */
function isDefect(error: unknown): boolean {
  if (error instanceof RpcError) return false;
  if (!(error instanceof Error) || error.name === 'CloneError') return true;
  // Not of the error itself, which may come from a client.
  const { constructor } = Object.getPrototypeOf(error);
  return (globalThis as Record<string, unknown>)[constructor.name] === constructor;
}

/** Codes of calls that failed but were not refused. */
const NO_REFUSALS: CodeTable<1> = {
  NOT_EXECUTED: 1,
  OUTCOME_UNKNOWN: 1,
  REFERENCE_LOST: 1,
  CANCELLED: 1,
  TIMED_OUT: 1,
} satisfies CodesThat<'accepted'>;

/** Returns the name of the limit that a refusal is about, or its code; undefined if nothing was refused. */
export function refusalOf({ code, message }: RpcError): string | undefined {
  if (NO_REFUSALS[code] === 1) return undefined;
  return /^(?:max[A-Z]\w+|rateLimits\.\w+)/.exec(message)?.[0] ?? code;
}

/** Makes the error that ends a connection. What the client has not caused is internal. */
export function asFrameError(error: unknown): RpcError {
  if (error instanceof RpcError) return error;
  const { name, code, message } = error as { name?: unknown; code?: unknown; message?: string };
  if (name === 'CloneError') return new RpcError(code === 'LIMIT_EXCEEDED' ? code : 'MALFORMED_FRAME', `${message}`);
  return new RpcError('INTERNAL', 'the server failed at a frame: its log says why', { cause: error });
}
