import { RpcError, type RpcErrorCode } from '../errors/rpc-error.ts';

// Why a socket was closed. The reason that goes with a code says more: see `closeReason`.
export const CLOSE_NORMAL = 1000;
export const CLOSE_UNSUPPORTED_DATA = 1003;
export const CLOSE_MALFORMED = 1007;
export const CLOSE_TOO_LARGE = 1009;
export const CLOSE_INTERNAL = 1011;
/** From here on: the connection was refused, and nothing sent on it ran. */
export const CLOSE_REFUSED = 4400;

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
