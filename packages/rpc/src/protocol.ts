// Constants of the protocol: see docs/internals/protocol.md. They are literals, since a string that is built from others stays in
// bundles that do not use it.

/** Asks for a sign of life, and gives one. */
export const PING = 'ping';
export const PONG = 'pong';

/** The subprotocol of this version. Connecting negotiates the version with it, without a frame. */
export const SUBPROTOCOL = 'lumenize.rpc.3';
/**
 * The subprotocol that a server accepts in place of any other when it refuses the client. The client then sends
 * nothing, and the server closes the socket with the reason.
 */
export const REFUSED_SUBPROTOCOL = 'lumenize.rpc.refused';
/** In front of a client's name, the number of its attempt, and the id below which its calls have settled. */
export const CLIENT_PREFIX = 'lumenize.client.';
/** In front of a client's token, as base64url of its UTF-8. */
export const TOKEN_PREFIX = 'lumenize.token.';
/** In front of the tag of the identity that the client's session has. */
export const IDENTITY_PREFIX = 'lumenize.as.';
/** The longest token, in characters. */
export const MAX_TOKEN_LENGTH = 8192;

/** Returns the subprotocol with a client's token. */
export function tokenProtocol(token: string): string {
  return TOKEN_PREFIX + toBase64Url(new TextEncoder().encode(token));
}

/** Returns bytes as base64url, whose characters are allowed in a header and in a URL. */
export function toBase64Url(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Writes plain data as JSON, whatever `toJSON` a page has given all objects or lists. */
export function json(value: unknown): string {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(json)}]`;
  const known = Object.entries(value).filter(([, each]) => each !== undefined);
  return `{${known.map(([key, each]) => `${JSON.stringify(key)}:${json(each)}`)}}`;
}
