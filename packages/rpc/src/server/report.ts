import { CloneError } from '@lumenize/structured-clone';
import { RpcError } from '../errors/rpc-error.ts';
import type { CallContext } from '../session/incoming/call-context.ts';

/** Told of what went wrong, as it was thrown: by which method, and in which call. */
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

/** What a client is told of why its connection ends: nothing of what the server itself failed by, which `onError` is told. */
export function errorOfFrame(error: RpcError, onError: (error: unknown) => void): RpcError {
  const { cause } = error;
  if (cause === undefined || cause instanceof CloneError) return error;
  onError(cause);
  return new RpcError('INTERNAL', 'the server failed at a frame: its log says why');
}
