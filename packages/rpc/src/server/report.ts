import { CloneError } from '@lumenize/structured-clone';
import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import type { CallContext, Caller } from '../session/incoming/call-context.ts';

/** Reports an error as it was thrown: by which method, and in which call. */
export type OnError = (error: unknown, method: string, call: CallContext | undefined) => void;

/** Lines of a second: who makes a method fail again and again is not to fill the log. */
const MAX_LINES = 10;
/** A path can have many names, and names are as long as a caller likes. */
const MAX_NAME_LENGTH = 100;

/** Runs a function of the application's that is told of something: whatever it throws changes nothing for anybody. */
export function tell(name: string, told: () => void): void {
  try {
    told();
  } catch (error) {
    console.error(`${name}() failed:`, error);
  }
}

/** Makes what stands in for an `onError` that was not given: it logs what looks like a defect. */
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

/** Errors of classes that an application has made are its way to answer; others mostly come from code that did not expect them. */
function isDefect(error: unknown): boolean {
  if (error instanceof RpcError) return false;
  if (!(error instanceof Error) || error instanceof CloneError) return true;
  const { constructor } = error;
  return (globalThis as Record<string, unknown>)[constructor.name] === constructor;
}

/** Makes the error that ends a client's connection. A failure of the server itself goes to `onError`, and not to the client. */
export function errorOfFrame(error: RpcError, onError: (error: unknown) => void): RpcError {
  const { cause } = error;
  if (cause === undefined || cause instanceof CloneError) return error;
  onError(cause);
  return new RpcError('INTERNAL', 'the server failed at a frame: its log says why');
}

/** Reports a call, a frame or a connection that was refused: by which code, what it was, and whose. */
export type OnRefused = (code: RpcErrorCode, what: string, caller: Caller | undefined) => void;

/** Codes that say how a call ended that was not refused. */
const NO_REFUSALS: ReadonlySet<RpcErrorCode> = new Set([
  'NOT_EXECUTED',
  'OUTCOME_UNKNOWN',
  'REFERENCE_LOST',
  'CANCELLED',
  'TIMED_OUT',
]);

/** Counts what was refused, since the object woke. */
export class Refusals {
  readonly #counts = new Map<string, number>();
  readonly #onRefused: OnRefused | undefined;

  constructor(onRefused: OnRefused | undefined) {
    this.#onRefused = onRefused;
  }

  /** Number of refusals by the name of the limit, or by the code if it is none. */
  get counts(): Record<string, number> {
    return Object.fromEntries(this.#counts);
  }

  add(error: RpcError, what: string, caller: Caller | undefined): void {
    if (NO_REFUSALS.has(error.code)) return;
    const name = limitOf(error) ?? error.code;
    this.#counts.set(name, (this.#counts.get(name) ?? 0) + 1);
    tell('onRefused', () => this.#onRefused?.(error.code, what, caller));
  }
}

/** The limit that an error is about: its message begins with the name. */
function limitOf({ message }: RpcError): string | undefined {
  return /^(?:max[A-Z]\w+|rateLimits\.\w+)/.exec(message)?.[0];
}
