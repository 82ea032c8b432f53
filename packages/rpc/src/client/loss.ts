import { type CodesThat, type CodeTable, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import {
  CLOSE_EXPIRED,
  CLOSE_MALFORMED,
  CLOSE_POLICY,
  CLOSE_REFUSED,
  CLOSE_TOO_LARGE,
  CLOSE_UNSUPPORTED_DATA,
  errorOfClose,
} from '../protocol/errors.ts';
import { EXAMPLE_PATH } from './options.ts';

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

/** Questions for whoever connects with a WebSocket, the only transport that can be probed. */
const WHAT_TO_CHECK = `: is the Worker running, without an error in its log, is the URL like ws${EXAMPLE_PATH}, and do proxies pass on Sec-WebSocket-Protocol?`;

/** Codes of refusals after which another attempt may succeed. */
const TEMPORARY: CodeTable<1> = { NOT_EXECUTED: 1, OVERLOADED: 1 } satisfies CodesThat<'reconnects'>;
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
    ? !TEMPORARY[told?.code as RpcErrorCode]
    : FINAL.includes(code) || told?.code === 'VERSION_MISMATCH';
  const message = wasOpen
    ? `lost ${description}`
    : isRefused
      ? `${description} refused the connection`
      : `${description} cannot be reached${canProbe ? WHAT_TO_CHECK : ''}`;
  return {
    error: told ?? new RpcError('NOT_EXECUTED', `${message} (${code}${reason && ` ${reason}`})`),
    wasOpen,
    // A failed attempt has sent nothing itself, but earlier connections may have.
    mayHaveRun: !(wasOpen && isRefused),
    isBlamed: BLAMED.includes(code),
    isTemporary: !isFinal,
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
