import { CloneError } from '@lumenize/structured-clone';
import { asRpcError, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';
import { PROTOCOL_VERSION } from './version.ts';

/** Returns the error for a frame that breaks the protocol. */
export function malformedFrame(what: string): RpcError {
  return new RpcError('MALFORMED_FRAME', `malformed: ${what}`);
}

/** Returns the error for a client that offers no version of the protocol that this server speaks. */
export function versionError(): RpcError {
  const spoken = `the server speaks version ${PROTOCOL_VERSION} of the protocol only`;
  return new RpcError('VERSION_MISMATCH', `${spoken}: reload the page, or update the older side`);
}

/** Creates the error for an exceeded limit. Its message names the limit, and `hint` completes it. */
export function exceeded<Name extends string>(
  name: Name,
  limits: Readonly<Record<Name, number>>,
  hint = '',
  code: RpcErrorCode = 'LIMIT_EXCEEDED',
): RpcError {
  return new RpcError(code, `${name} of ${limits[name]} exceeded${hint}`);
}

/** Converts an error that was thrown while a frame was read into an `RpcError`. */
export function asFrameError(error: unknown): RpcError {
  if (!(error instanceof CloneError)) return asRpcError(error, 'INTERNAL');
  return asRpcError(error, error.code === 'MALFORMED' ? 'MALFORMED_FRAME' : error.code);
}

/** Returns the code for an argument or a result that the codec refused to encode. */
export function unsendableCode(error: CloneError): RpcErrorCode {
  return isTooLarge(error) ? 'TOO_LARGE' : 'NOT_CLONEABLE';
}

/** Returns true if a value does not fit into a message, or not beside what the message holds already. */
export function isTooLarge(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('maxBytes');
}

/** Returns the codec's message, with the codec's limit replaced by the limit of this library. */
export function unsendableReason({ message }: CloneError): string {
  return message.replace(/^maxBytes(.*)/, 'maxMessageBytes$1: send it in pieces, or raise the limit on both sides');
}

/**
 * Returns true if a value was refused only because it holds a Blob, a Request or the like, whose bytes must be read
 * first.
 */
export function needsBodies(error: unknown): boolean {
  return error instanceof Error && error.message.includes('that readBodies has not read');
}

// Close codes, which say why a socket was closed. The reason that goes with a code says more: see `closeReason`.
export const CLOSE_NORMAL = 1000;
export const CLOSE_UNSUPPORTED_DATA = 1003;
export const CLOSE_MALFORMED = 1007;
export const CLOSE_TOO_LARGE = 1009;
/** The socket broke. Nobody sends this code. */
export const CLOSE_ABNORMAL = 1006;
/** The client repeatedly did something that it may not do. */
export const CLOSE_POLICY = 1008;
export const CLOSE_INTERNAL = 1011;
/** The server has too much to do. The client may come again later. */
export const CLOSE_TRY_LATER = 1013;
/** From the client: it gives up this connection, and will make another. */
export const CLOSE_DROPPED = 4000;
/** From the server: the client has made another connection. */
export const CLOSE_SUPERSEDED = 4001;
/** From the server: the application has ended the connection. The client may come back. */
export const CLOSE_ENDED = 4002;
/** From this code on: the connection was refused before anything could be sent on it. */
export const CLOSE_REFUSED = 4400;
/** The caller's identity has expired. */
export const CLOSE_EXPIRED = 4401;

/** Number of bytes of UTF-8 that the reason of a close has room for. */
const REASON_BYTES = 123;

/** Returns an error as the reason of a close. A text that is too long ends in three dots. */
export function closeReason({ code, message }: RpcError): string {
  const text = `${code}: ${message}`;
  const start = (bytes: number) => text.slice(0, new TextEncoder().encodeInto(text, new Uint8Array(bytes)).read);
  return start(REASON_BYTES) === text ? text : `${start(REASON_BYTES - 3)}...`;
}

/**
 * Reads the error from the reason of a close. Returns undefined if the reason holds none: the connection was just lost.
 */
export function errorOfClose(reason: string): RpcError | undefined {
  const [, code, message] = /^([A-Z_]+): (.*)$/s.exec(reason) ?? [];
  return code === undefined ? undefined : new RpcError(code as RpcErrorCode, message);
}

/**
 * Returns the error for a value or frame that needs a missing extension. `name` is the extension, and `what` describes
 * the value or frame in the message.
 */
export function missingExtensionError(name: string, what: string): RpcError {
  const hint = `list "${name}" of @lumenize/rpc/extensions in the option "use" of connect()`;
  return new RpcError('NOT_CLONEABLE', `${what} cannot be taken without its extension: ${hint}`);
}
