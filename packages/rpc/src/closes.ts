import { RpcError, type RpcErrorCode } from './errors.ts';

// Close codes, which say why a socket was closed. The reason that goes with a code says more: see `closeReason`.
export const CLOSE_NORMAL = 1000;
/** The socket broke. Nobody sends this code. */
export const CLOSE_ABNORMAL = 1006;
export const CLOSE_MALFORMED = 1007;
/** The client did something that it may not do. */
export const CLOSE_POLICY = 1008;
export const CLOSE_TOO_LARGE = 1009;
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
/** The caller is another one than that of the session that the client wants to go on with. */
export const CLOSE_OTHER_IDENTITY = 4409;

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
