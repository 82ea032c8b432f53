import { RpcError } from '../errors.ts';
import { MAX_TOKEN_LENGTH, TOKEN_PREFIX } from '../protocol.ts';

/** How the errors for callers that cannot be identified begin. */
export const FAILED = 'authentication failed';

/**
 * Returns the token of a request; undefined if there is none. An upgrade carries it in a subprotocol, since a page can
 * send no other header with one; other requests in `Authorization: Bearer`.
 * @throws {RpcError} `DENIED` if it cannot be read as text, `LIMIT_EXCEEDED` if it is too long
 */
export function readToken({ headers }: Request): string | undefined {
  const offered = namesIn(headers.get('Sec-WebSocket-Protocol')).filter(isToken);
  const bearer = /^bearer +(\S.*)$/i.exec(headers.get('Authorization') ?? '')?.[1];
  const shown = offered.length > 0 || bearer === undefined ? offered : [bearer];
  if (shown.length === 0) return undefined;
  const token = isToken(shown[0]) ? fromBase64Url(shown[0].slice(TOKEN_PREFIX.length)) : shown[0];
  // Of two tokens, one was meant for another server.
  if (shown.length > 1 || token === undefined) {
    throw new RpcError('DENIED', `${FAILED}: the token is empty, no base64url of UTF-8, or not the only one`);
  }
  if (token.length > MAX_TOKEN_LENGTH) {
    throw new RpcError('LIMIT_EXCEEDED', `a token has at most ${MAX_TOKEN_LENGTH} characters`);
  }
  return token;
}

/** Returns the subprotocols of a header without the token. */
export function withoutToken(header: string | null): string {
  return namesIn(header)
    .filter((name) => !isToken(name))
    .join(', ');
}

function namesIn(header: string | null): string[] {
  return header === null ? [] : header.split(',').map((name) => name.trim());
}

function isToken(name: string): boolean {
  return name.startsWith(TOKEN_PREFIX);
}

/** Reads base64url as text in UTF-8. Returns undefined if it is empty, or is neither. */
function fromBase64Url(text: string): string | undefined {
  try {
    const chars = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(chars, (char) => char.charCodeAt(0));
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes) || undefined;
  } catch {
    return undefined;
  }
}
