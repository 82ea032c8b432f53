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
  /** True if the connection had been open. */
  readonly wasOpen: boolean;
  /** True if the calls that were sent may have run. */
  readonly mayHaveRun: boolean;
  /** True if the frames that were sent caused the loss, and would cause it again. */
  readonly isBlamed: boolean;
  /** True if another attempt to connect follows. */
  readonly isTemporary: boolean;
}

/** Codes of refusals after which another attempt may succeed. */
const TEMPORARY: readonly RpcErrorCode[] = ['NOT_EXECUTED', 'OVERLOADED'];
const FINAL: readonly number[] = [CLOSE_POLICY, CLOSE_EXPIRED];
/** Close codes that blame the frames that were sent. Sent again, these would have the same effect. */
const BLAMED: readonly number[] = [CLOSE_UNSUPPORTED_DATA, CLOSE_MALFORMED, CLOSE_TOO_LARGE];

/**
 * Classifies a loss by the code and reason of the close. Without `canProbe`, the transport itself chose them, so they
 * can be trusted.
 */
export function classifyLoss(
  code: number,
  reason: string,
  description: string,
  wasOpen: boolean,
  canProbe: boolean,
): Loss {
  const told = errorOfClose(reason);
  // On an open connection that can be probed, the application or a proxy may have sent any code.
  const isRefused = (!wasOpen || !canProbe) && code >= CLOSE_REFUSED && code !== CLOSE_EXPIRED;
  const isFinal = isRefused
    ? told === undefined || !TEMPORARY.includes(told.code)
    : FINAL.includes(code) || told?.code === 'VERSION_MISMATCH';
  const message = wasOpen
    ? `lost ${description}`
    : isRefused
      ? `${description} refused the connection`
      : `${description} cannot be reached: is the Worker running, without an error in its log, and is the URL like ws${EXAMPLE_PATH}?`;
  return {
    error: told ?? new RpcError('NOT_EXECUTED', `${message} (${code}${reason && ` ${reason}`})`),
    wasOpen,
    // A failed attempt has sent nothing itself, but earlier connections may have.
    mayHaveRun: !(wasOpen && isRefused),
    isBlamed: BLAMED.includes(code),
    isTemporary: !isFinal,
  };
}

/**
 * A refusal for overload counts as at least this many failed attempts, so that the server gets at least their delay.
 */
const OVERLOADED_ATTEMPTS = 3;

/** Decides how long to wait before the next attempt to connect. */
export interface Backoff {
  /** Called when a connection has opened. */
  opened(): void;
  /** Returns the milliseconds to wait after a close with this code and error. */
  next(code: number, error: RpcError): number;
}

/**
 * Returns a backoff that counts attempts to connect. Each delay is random, up to a bound that doubles, so that
 * thousands of clients do not come back at once.
 */
export function backoffOf(options: ConnectOptions['reconnect']): Backoff {
  const { minDelayMs = 250, maxDelayMs = 30_000, stableMs = 5000 } = options as BackoffOptions;
  let attempts = 0;
  /** Time at which the current connection was made. Infinity when there is none. */
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

/** Most refusals that run at once within one task. */
const AT_ONCE = 100;

let count = 0;

/**
 * Runs `job`, which rejects a call. Runs it at once, or in a later task after many refusals in the same task. Otherwise
 * code that calls again as soon as a call is refused would block everything else, such as the opening of the
 * connection.
 */
export function rejectLater(job: () => unknown): void {
  if (count === 0) {
    setTimeout(() => {
      count = 0;
    });
  }
  if (++count > AT_ONCE) setTimeout(job);
  else job();
}
