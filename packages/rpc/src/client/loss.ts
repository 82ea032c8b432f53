import { CLOSE_EXPIRED, CLOSE_POLICY, CLOSE_REFUSED, errorOfClose } from '../closes.ts';
import { RpcError } from '../errors.ts';
import { EXAMPLE_PATH } from './options.ts';

/** The end of a connection, or of an attempt to make one. */
export interface Loss {
  readonly error: RpcError;
  /** True if another attempt to connect may succeed. */
  readonly isTemporary: boolean;
}

/** Classifies a loss by the code and reason of the close. */
export function classifyLoss(code: number, reason: string, description: string, wasOpen: boolean): Loss {
  const told = errorOfClose(reason);
  // On an open connection, the application or a proxy may have sent any code.
  const isRefused = !wasOpen && code >= CLOSE_REFUSED;
  const isFinal = isRefused
    ? told?.code !== 'NOT_EXECUTED' && told?.code !== 'OVERLOADED'
    : code === CLOSE_POLICY || code === CLOSE_EXPIRED || told?.code === 'VERSION_MISMATCH';
  const isUrl = description.includes('://');
  const message = wasOpen
    ? `lost ${description}`
    : isRefused
      ? `${description} refused the connection`
      : `${description} cannot be reached${isUrl ? `: is the Worker running, without an error in its log, and is the URL like ws${EXAMPLE_PATH}?` : ''}`;
  return {
    error: told ?? new RpcError('NOT_EXECUTED', `${message} (${code}${reason && ` ${reason}`})`),
    isTemporary: !isFinal,
  };
}
