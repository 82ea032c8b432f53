import { parse, stringify } from '@lumenize/structured-clone';
import { RpcError } from '../../errors/rpc-error.ts';
import { textOf } from '../../protocol/message.ts';
import type { Request as PlatformRequest } from '../../protocol/platform-types.ts';
import { MAX_TOKEN_LENGTH } from '../../protocol/token.ts';
import { fromBase64Url, randomName, TOKEN_PREFIX } from '../../protocol/version.ts';
import type { Caller } from '../../session/incoming/call-context.ts';

/** How the errors for callers that cannot be identified begin. */
export const FAILED = 'authentication failed';

/** An identity that expires. */
export class Expiring<Identity = unknown> {
  /** The identity of the caller. */
  readonly identity: Identity;
  /** Time at which the identity expires, in milliseconds since 1970; undefined if it does not. */
  readonly expiresAt: number | undefined;

  constructor(identity: Identity, expiresAt: number | undefined) {
    this.identity = identity;
    this.expiresAt = expiresAt;
  }
}

/**
 * Returns an identity that expires at a time, such as the expiry of a token, for `authenticate` and wherever else an
 * identity is given. The time is a Date, or in milliseconds since 1970. Later calls reject with `EXPIRED`, and the
 * connection closes.
 * @throws {TypeError} if the time is not valid, or is in seconds, as in a JSON Web Token
 */
export function expiring<Identity>(identity: Identity, expiresAt: number | Date): Expiring<Identity> {
  const time = Number(expiresAt);
  // As milliseconds this is early in the 1970s, and as seconds in our time.
  if (time > 1e9 && time < 1e11) throw new TypeError('expiring() needs milliseconds, not seconds: multiply by 1000');
  if (Number.isNaN(time)) throw new TypeError('expiring() needs a time: milliseconds since 1970, or a Date');
  return new Expiring(identity, time);
}

/**
 * Returns true if `authenticate` returned no identity: undefined, null or false, such as from a failed look-up or
 * comparison.
 */
export function hasNoIdentity(found: unknown): boolean {
  const identity = found instanceof Expiring ? found.identity : found;
  return identity === undefined || identity === null || identity === false;
}

/** Returns true if a time is given and has passed. */
export function isExpired(expiresAt: number | undefined, now?: number): boolean {
  return expiresAt !== undefined && (now ?? Date.now()) >= expiresAt;
}

/** Makes the error for a caller whose identity has expired. */
export function expiredError(): RpcError {
  return new RpcError('EXPIRED', 'what the caller logged in with has expired: connect with a new token');
}

/**
 * Returns an identity in the text form of the codec, in which it is sent to an object.
 * @throws {TypeError} if it cannot be cloned
 */
export function identityText(identity: unknown): string {
  try {
    return stringify(identity);
  } catch (error) {
    throw new TypeError(`the identity cannot be sent: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The property of `request.cf` through which the Worker gives the object the caller's identity. Unlike a header it
 * cannot come from outside: the runtime makes `cf`, and a client cannot write to it.
 */
const CF_KEY = 'lumenizeIdentity';
/** The property that holds the time at which the identity expires. */
const CF_EXPIRES_KEY = 'lumenizeExpiresAt';
/** The value of `CF_KEY` if nobody authenticated the caller. No identity has this text. */
const NOBODY = '';

/**
 * The headers of requests that an object answers. It gets no others, so that what a user's browser sends with every
 * request, such as cookies, ends at the Worker.
 */
const FORWARDED = /^(accept|content-(length|type)|sec-websocket-extensions|upgrade)$/;

/**
 * Returns the request to forward to the object: with the caller's identity and the headers that are needed, without the
 * token that proved the identity, and without an offer to compress unless `compress` is true.
 */
export function forwardedRequest(request: PlatformRequest, identity: unknown, compress: boolean): PlatformRequest {
  const { identity: said, expiresAt } = identity instanceof Expiring ? identity : { identity, expiresAt: undefined };
  const text = said === undefined ? NOBODY : identityText(said);
  // Both properties are set, whatever the request holds, so that the object sees only the Worker's own values.
  const cf = { ...request.cf, [CF_KEY]: text, [CF_EXPIRES_KEY]: expiresAt } as never;
  const headers = new Headers([...request.headers].filter(([name]) => FORWARDED.test(name)));
  const offered = withoutToken(request.headers.get('Sec-WebSocket-Protocol'));
  if (offered !== null) headers.set('Sec-WebSocket-Protocol', offered);
  // Without an offer from the client, the runtime would add one of its own.
  if (!compress && headers.has('Upgrade')) headers.set('Sec-WebSocket-Extensions', 'none');
  return new Request(request, { cf, headers });
}

/** Makes the caller of a new connection from the properties that the Worker put on its request. */
export function callerOf(request: PlatformRequest): Caller {
  const { [CF_KEY]: identity, [CF_EXPIRES_KEY]: expiresAt } = (request.cf ?? {}) as Record<string, unknown>;
  return typeof identity === 'string' && identity !== NOBODY ? knownCaller(identity, expiresAt) : newCaller(undefined);
}

/** Makes the caller of a new connection from an identity that another Worker has written, and may have checked. */
export function knownCaller<Identity = unknown>(identity: string, expiresAt: unknown): Caller<Identity> {
  const known = parse(identity) as Identity;
  return newCaller(typeof expiresAt === 'number' ? new Expiring(known, expiresAt) : known);
}

/**
 * Makes the caller of a connection from an identity that may expire. Without a `connectionId` the connection is a new
 * one.
 */
export function newCaller<Identity>(
  given: Identity | Expiring<Identity>,
  connectionId: string = randomName(),
): Caller<Identity> {
  if (!(given instanceof Expiring)) return { identity: given, connectionId };
  return { identity: given.identity, connectionId, expiresAt: given.expiresAt };
}

/**
 * Returns the token of a request; undefined if there is none. An upgrade carries it in a subprotocol, since a page can
 * send no other header with one; other requests in `Authorization: Bearer`.
 * @throws {RpcError} `DENIED` if it cannot be read as text, `LIMIT_EXCEEDED` if it is too long
 */
export function readToken({ headers }: PlatformRequest): string | undefined {
  const offered = namesIn(headers.get('Sec-WebSocket-Protocol')).filter(isTokenProtocol);
  const bearer = /^bearer +(\S.*)$/i.exec(headers.get('Authorization') ?? '')?.[1];
  const shown = offered.length > 0 || bearer === undefined ? offered : [bearer];
  let token: string | undefined = shown[0];
  if (token !== undefined && isTokenProtocol(token)) {
    const bytes = fromBase64Url(token.slice(TOKEN_PREFIX.length));
    token = bytes && textOf(bytes);
  }
  // Of two tokens, one was meant for another server.
  if (shown.length > 1 || (token === undefined && shown.length > 0)) {
    throw new RpcError('DENIED', `${FAILED}: the token is empty, no base64url of UTF-8, or not the only one`);
  }
  if (token !== undefined && token.length > MAX_TOKEN_LENGTH) {
    throw new RpcError('LIMIT_EXCEEDED', `a token has at most ${MAX_TOKEN_LENGTH} characters`);
  }
  return token;
}

/** Returns the subprotocols of a header without the token; null if there are no others. */
function withoutToken(header: string | null): string | null {
  if (!header?.includes(TOKEN_PREFIX)) return header;
  const others = namesIn(header).filter((name) => !isTokenProtocol(name));
  return others.length === 0 ? null : others.join(', ');
}

function namesIn(header: string | null): string[] {
  return header === null ? [] : header.split(',').map((name) => name.trim());
}

function isTokenProtocol(name: string): boolean {
  return name.startsWith(TOKEN_PREFIX);
}
