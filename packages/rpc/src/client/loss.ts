import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import {
  CLOSE_EXPIRED,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_REFUSED,
  CLOSE_TOO_LARGE,
  CLOSE_TRY_LATER,
  CLOSE_UNSUPPORTED_DATA,
  errorOfClose,
} from '../protocol/errors.ts';
import { type BackoffOptions, type ConnectOptions, EXAMPLE_PATH } from './options.ts';

/** The end of a connection, or of an attempt to make one. */
export interface Loss {
  readonly error: RpcError;
  /** True if it had been open. */
  readonly wasOpen: boolean;
  /** True if what was sent may have run. */
  readonly mayHaveRun: boolean;
  /** True if what was sent is to blame, and would have the same effect again. */
  readonly isBlamed: boolean;
  /** True if there will be another attempt. */
  readonly isTemporary: boolean;
}

/** Codes of refusals after which another attempt may succeed. */
const TEMPORARY: readonly RpcErrorCode[] = ['NOT_EXECUTED', 'OVERLOADED'];
const FINAL: readonly number[] = [CLOSE_POLICY, CLOSE_EXPIRED];
/** Codes of closes because of what was sent, which would have the same effect again. */
const BLAMED: readonly number[] = [CLOSE_UNSUPPORTED_DATA, CLOSE_MALFORMED, CLOSE_TOO_LARGE];

/** Classifies a loss by the code and reason of the close. Without `canProbe` these are the transport's own. */
export function classifyLoss(
  code: number,
  reason: string,
  description: string,
  wasOpen: boolean,
  canProbe: boolean,
): Loss {
  const told = errorOfClose(reason);
  // Over a connection that was used, any code may come from the application, or from a proxy.
  const isRefused = (!wasOpen || !canProbe) && code >= CLOSE_REFUSED && code !== CLOSE_EXPIRED;
  const isFinal = isRefused
    ? told === undefined || !TEMPORARY.includes(told.code)
    : FINAL.includes(code) || told?.code === 'VERSION_MISMATCH';
  const message = wasOpen
    ? `lost ${description}`
    : `${description} cannot be reached: is the Worker running, without an error in its log, and is the URL like ws${EXAMPLE_PATH}?`;
  return {
    error: told ?? new RpcError('NOT_EXECUTED', `${message} (${code}${reason && ` ${reason}`})`),
    wasOpen,
    // Over an attempt that failed nothing was sent, but over connections before it.
    mayHaveRun: !(wasOpen && isRefused),
    isBlamed: BLAMED.includes(code),
    isTemporary: !isFinal,
  };
}

/** After that many attempts a server that says it is overloaded gets at least as much time as after as many failures. */
const OVERLOADED_ATTEMPTS = 3;

/** Tells how long to wait before another attempt to connect. */
export interface Backoff {
  /** Notes that there is a connection. */
  opened(): void;
  /** Returns milliseconds to wait after a close with this code and error. */
  next(code: number, error: RpcError): number;
}

/** Counts attempts to connect: the wait is anything up to a bound that doubles, so that thousands of clients do not come back at once. */
export function backoffOf(options: ConnectOptions['reconnect']): Backoff {
  const { minDelayMs = 250, maxDelayMs = 30_000, stableMs = 5000 } = options as BackoffOptions;
  let attempts = 0;
  /** Time at which the last connection was made, until it is lost. */
  let openedAt = Infinity;
  return {
    opened() {
      openedAt = performance.now();
    },
    next(code, error) {
      if (performance.now() - openedAt >= stableMs) attempts = 0;
      openedAt = Infinity;
      const isOverloaded = code === CLOSE_TRY_LATER || error.code === 'OVERLOADED';
      if (isOverloaded) attempts = Math.max(attempts, OVERLOADED_ATTEMPTS);
      return Math.random() * Math.min(maxDelayMs, minDelayMs * 2 ** attempts++);
    },
  };
}

/** So many refusals come at once, before any other task. */
const AT_ONCE = 100;

let count = 0;

/**
 * Does what refuses a call: at once, but later where there have been many in this task. Who calls again as soon as a call was
 * refused would keep all else from happening, such as that the connection opens.
 */
export function refuse(job: () => unknown): void {
  if (count === 0) {
    setTimeout(() => {
      count = 0;
    });
  }
  if (++count > AT_ONCE) setTimeout(job);
  else job();
}
