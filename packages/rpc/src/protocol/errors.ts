import { CloneError } from '@lumenize/structured-clone';
import { asRpcError, RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';

/** Makes the error for a frame that says what no peer would. */
export function malformedFrame(what: string): RpcError {
  return new RpcError('MALFORMED_FRAME', `malformed: ${what}`);
}

/** Turns what reading a frame threw into the library's error. */
export function asFrameError(error: unknown): RpcError {
  if (!(error instanceof CloneError)) return asRpcError(error, 'INTERNAL');
  return asRpcError(error, error.code === 'MALFORMED' ? 'MALFORMED_FRAME' : error.code);
}

/** The code for an argument or a result that the codec refused to encode. */
export function unsendableCode({ message }: CloneError): RpcErrorCode {
  return message.startsWith('maxBytes') ? 'TOO_LARGE' : 'NOT_CLONEABLE';
}

/** Returns the codec's message in the words of this library's limits. */
export function unsendableReason({ message }: CloneError): string {
  return message.replace(/^maxBytes(.*)/, 'maxMessageBytes$1: send it in pieces, or raise the limit on both sides');
}

/**
 * Returns true if a value was only refused because it holds a Blob, a Request or the like, whose bytes must be read
 * first.
 */
export function needsBodies(error: unknown): boolean {
  return error instanceof Error && error.message.includes('that readBodies has not read');
}

// Why a socket was closed. The reason that goes with a code says more: see `closeReason`.
export const CLOSE_NORMAL = 1000;
export const CLOSE_UNSUPPORTED_DATA = 1003;
export const CLOSE_MALFORMED = 1007;
export const CLOSE_TOO_LARGE = 1009;
/** Close code of a socket that broke; nobody sends it. */
export const CLOSE_ABNORMAL = 1006;
/** The client has done what it may not, again and again. */
export const CLOSE_POLICY = 1008;
export const CLOSE_INTERNAL = 1011;
/** There is too much to do: the client may come again later. */
export const CLOSE_TRY_LATER = 1013;
/** From the client: it gives this connection up, and will make another. */
export const CLOSE_DROPPED = 4000;
/** From the server: the client has made another connection. */
export const CLOSE_SUPERSEDED = 4001;
/** From the server: the application has ended the connection. The client may come back. */
export const CLOSE_ENDED = 4002;
/** From here on: the connection was refused before anything could be sent on it. */
export const CLOSE_REFUSED = 4400;
/** Close code of a connection whose caller's identity has expired. */
export const CLOSE_EXPIRED = 4401;

/** Puts an error into the 123 bytes of UTF-8 that the reason of a close has room for. */
export function closeReason({ code, message }: RpcError): string {
  const text = `${code}: ${message}`;
  const { read } = new TextEncoder().encodeInto(text, new Uint8Array(123));
  return text.slice(0, read);
}

/** Reads the error from a reason; undefined where the connection was just lost. */
export function errorOfClose(reason: string): RpcError | undefined {
  const [, code, message] = /^([A-Z_]+): (.*)$/s.exec(reason) ?? [];
  return code === undefined ? undefined : new RpcError(code as RpcErrorCode, message);
}

/** Makes the error for what this side has no extension for; `what`, for messages, needs the one of this name. */
export function lacking(name: string, what: string): RpcError {
  const hint = `list "${name}" of @lumenize/rpc/extensions in the option "use" of connect()`;
  return new RpcError('NOT_CLONEABLE', `${what} cannot be taken without its extension: ${hint}`);
}
