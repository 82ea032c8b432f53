import { parse, stringify } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { textOf } from '../../protocol/message.ts';
import { fromBase64Url, randomName, TOKEN_PREFIX } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';

/** An identity that is no longer to be believed after a time. */
export class Expiring<Identity = unknown> {
  /** Identifies the caller. */
  readonly identity: Identity;
  /** In milliseconds since 1970; undefined where it does not. */
  readonly expiresAt: number | undefined;

  constructor(identity: Identity, expiresAt: number | undefined) {
    this.identity = identity;
    this.expiresAt = expiresAt;
  }
}

/**
 * Returns an identity, for `authenticate` and wherever else one is asked for, that expires at a time, in milliseconds since
 * 1970 or as a Date, such as a token says it. Calls that come later reject with `EXPIRED`, and the connection is closed.
 * @throws {TypeError} where that is no time
 */
export function expiring<Identity>(identity: Identity, expiresAt: number | Date): Expiring<Identity> {
  const time = Number(expiresAt);
  if (Number.isNaN(time)) throw new TypeError('expiring() needs a time: milliseconds since 1970, or a Date');
  return new Expiring(identity, time);
}

/** Returns true if `authenticate` returned no identity: also the result of a comparison that failed, or of a look-up of nothing. */
export function isNobody(found: unknown): boolean {
  const identity = found instanceof Expiring ? found.identity : found;
  return identity === undefined || identity === null || identity === false;
}

/** Returns true if a time, if there is one, has passed. */
export function isExpired(expiresAt: number | undefined, now?: number): boolean {
  return expiresAt !== undefined && (now ?? Date.now()) >= expiresAt;
}

/** Makes the error for a caller whose identity has expired. */
export function expiredError(): RpcError {
  return new RpcError('EXPIRED', 'what the caller logged in with has expired: connect with a new token');
}

/**
 * The property of `request.cf` under which the Worker tells the object who the caller is. Unlike a header it cannot
 * come from outside: `cf` is made by the runtime, and a client has no way to write to it.
 */
const CF_KEY = 'lumenizeIdentity';
/** The property that says when the identity expires. */
const CF_EXPIRES_KEY = 'lumenizeExpiresAt';
/** Its value where nobody asked who is calling, which is no identity's text. */
const NOBODY = '';

/**
 * Returns the request as the object gets it: with the caller's identity on it, without the token that proved it, and
 * without an offer to compress unless asked for.
 */
export function forObject(request: Request, identity: unknown, compress: boolean): Request {
  // Both always, whatever the request has: what is forwarded is what the Worker says, and nothing else.
  const said = identity instanceof Expiring ? identity : new Expiring(identity, undefined);
  const cf = {
    ...(request.cf as object),
    [CF_KEY]: said.identity === undefined ? NOBODY : stringify(said.identity),
    [CF_EXPIRES_KEY]: said.expiresAt,
  } as never;
  const onward = new Request(request, { cf });
  const { headers } = onward;
  if (!headers.has('Upgrade')) return onward;
  const offered = headers.get('Sec-WebSocket-Protocol');
  const forwarded = withoutToken(offered);
  if (forwarded === null) headers.delete('Sec-WebSocket-Protocol');
  else if (forwarded !== offered) headers.set('Sec-WebSocket-Protocol', forwarded);
  // Without an offer of the client's the runtime would make one of its own.
  if (!compress) headers.set('Sec-WebSocket-Extensions', 'none');
  return onward;
}

/** Makes the caller of a new connection from what the Worker put on its request. */
export function callerOf(request: Request): Caller {
  const { [CF_KEY]: identity, [CF_EXPIRES_KEY]: expiresAt } = (request.cf ?? {}) as Record<string, unknown>;
  const known = typeof identity === 'string' && identity !== NOBODY ? parse(identity) : undefined;
  return newCaller(typeof expiresAt === 'number' ? new Expiring(known, expiresAt) : known);
}

/** Makes the caller of a connection by the platform's own RPC; only Workers that have the binding can say who it is. */
export function nativeCaller<Identity = unknown>(identity: string, expiresAt: number | undefined): Caller<Identity> {
  const known = parse(identity) as Identity;
  return newCaller(expiresAt === undefined ? known : new Expiring(known, expiresAt));
}

/** Makes the caller of a connection, a new one unless it is named, from an identity that may expire. */
export function newCaller<Identity>(
  given: Identity | Expiring<Identity>,
  connectionId: string = randomName(),
): Caller<Identity> {
  if (!(given instanceof Expiring)) return { identity: given, connectionId };
  return { identity: given.identity, connectionId, expiresAt: given.expiresAt };
}

/** The token of a request: undefined where there is none, and `isReadable` is false where it is no text. */
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

/** Returns what a header offers beside a token: null where that is nothing. */
function withoutToken(header: string | null): string | null {
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
  return bytes && textOf(bytes);
}
