import { CloneError } from '@lumenize/structured-clone';
import { type CodesThat, type CodeTable, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { isPromise } from '../session/brand.ts';
import type { CallContext, Caller } from '../session/incoming/call-context.ts';

/** Reports an error as it was thrown, with the name of the method and its call. */
export type OnError = (error: unknown, method: string, call: CallContext | undefined) => void;

/** Log lines per second. A caller that makes a method fail again and again must not fill the log. */
const MAX_LINES = 10;
/** Longest name in a log line, in UTF-16 units. A path can have many names, and a caller can make them long. */
const MAX_NAME_LENGTH = 100;

/** Calls a hook of the application, and logs its error. */
export function callHook(name: string, told: () => unknown): void {
  attempt(told, (error) => console.error(`${name}() failed:`, error));
}

/** Runs a job. An error that it throws, or rejects with, is reported to `failed` and has no other effect. */
export function attempt(job: () => unknown, failed: (error: unknown) => void): void {
  try {
    const result = job();
    // Node ends a process in which a promise rejects and nobody handles it.
    if (isPromise(result)) result.then(undefined, failed);
  } catch (error) {
    failed(error);
  }
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
  if (!(error instanceof Error) || error instanceof CloneError) return true;
  // Not of the error itself, which may come from a client.
  const { constructor } = Object.getPrototypeOf(error);
  return (globalThis as Record<string, unknown>)[constructor.name] === constructor;
}

/**
 * Makes the error that ends a client's connection. If the server itself failed, the error goes to `onError` and not to
 * the client.
 */
export function errorOfFrame(error: RpcError, onError: (error: unknown) => void): RpcError {
  const { cause } = error;
  if (cause === undefined || cause instanceof CloneError) return error;
  onError(cause);
  return new RpcError('INTERNAL', 'the server failed at a frame: its log says why');
}

/**
 * Called when a call, a frame or a connection is refused. It gets the code, the method's name or a phrase such as
 * `'a frame'`, and the caller.
 */
export type OnRefused = (code: RpcErrorCode, what: string, caller: Caller | undefined) => void;

/** Codes of calls that failed but were not refused. */
const NO_REFUSALS: CodeTable<1> = {
  NOT_EXECUTED: 1,
  OUTCOME_UNKNOWN: 1,
  REFERENCE_LOST: 1,
  CANCELLED: 1,
  TIMED_OUT: 1,
} satisfies CodesThat<'accepted'>;

/** Counts refusals since the object woke. */
export class Refusals {
  readonly #counts = new Map<string, number>();
  readonly #onRefused: OnRefused | undefined;

  constructor(onRefused: OnRefused | undefined) {
    this.#onRefused = onRefused;
  }

  /** Number of refusals by the name of the limit, or by the code if no limit was exceeded. */
  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  add(error: RpcError, what: string, caller: Caller | undefined): void {
    if (NO_REFUSALS[error.code] === 1) return;
    const name = limitOf(error) ?? error.code;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    callHook('onRefused', () => this.#onRefused?.(error.code, what, caller));
  }
}

/** Returns the name of the limit that an error is about, with which its message begins. */
function limitOf({ message }: RpcError): string | undefined {
  return /^(?:max[A-Z]\w+|rateLimits\.\w+)/.exec(message)?.[0];
}
