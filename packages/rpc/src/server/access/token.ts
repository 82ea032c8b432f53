import { fromBase64Url } from '../../protocol/base64url.ts';
import { TOKEN_PREFIX } from '../../protocol/version.ts';

/** What a request says as a token: undefined where it says none, and `isReadable` is false where what it says is no text. */
export interface ReadToken {
  readonly token: string | undefined;
  readonly isReadable: boolean;
}

/**
 * Reads the token of a request: of an upgrade from the subprotocol that carries it, since a page can send no other header
 * with one; else from `Authorization: Bearer`.
 */
export function readToken({ headers }: Request): ReadToken {
  const offered = namesIn(headers.get('Sec-WebSocket-Protocol')).filter(isToken);
  if (offered.length === 0) {
    const [, bearer] = /^bearer +(\S.*)$/i.exec(headers.get('Authorization') ?? '') ?? [];
    return { token: bearer, isReadable: true };
  }
  // Of two, one was meant for somebody else.
  const token = offered.length === 1 ? decode(offered[0].slice(TOKEN_PREFIX.length)) : undefined;
  return { token, isReadable: token !== undefined };
}

/** What a header offers beside a token: null where that is nothing. */
export function withoutToken(header: string | null): string | null {
  if (!header?.includes(TOKEN_PREFIX)) return header;
  const others = namesIn(header).filter((name) => !isToken(name));
  return others.length === 0 ? null : others.join(', ');
}

function namesIn(header: string | null): string[] {
  return header === null ? [] : header.split(',').map((name) => name.trim());
}

function isToken(name: string): boolean {
  return name.startsWith(TOKEN_PREFIX);
}

/** Reads base64url of UTF-8; undefined where it is none. */
function decode(text: string): string | undefined {
  const bytes = fromBase64Url(text);
  if (bytes === undefined) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
