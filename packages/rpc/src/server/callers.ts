import { parse, stringify } from '@lumenize/structured-clone';
import { RpcError } from '../errors.ts';
import { randomName } from '../peer/random-name.ts';
import { toBase64Url } from '../protocol.ts';
import type { Caller } from '../types/call-context.ts';
import { withoutToken } from './credentials.ts';

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
 * Returns an identity that expires at a time, such as the end of a login, for `authenticate` and wherever else an
 * identity is given. The time is a Date, or in milliseconds since 1970. The client connects anew before it expires;
 * later calls reject with `EXPIRED`.
 * @throws {TypeError} if the time is not valid, or is in seconds, as in a JSON Web Token
 */
export function expiring<Identity>(identity: Identity, expiresAt: number | Date): Expiring<Identity> {
  const time = Number(expiresAt);
  // As milliseconds this is early in the 1970s, and as seconds in our time.
  if (time > 1e9 && time < 1e11) throw new TypeError('expiring() needs milliseconds, not seconds: multiply by 1000');
  if (Number.isNaN(time)) throw new TypeError('expiring() needs a time: milliseconds since 1970, or a Date');
  // For ever: as JSON, in which it is given to an object, infinity would be null, a time long ago.
  return new Expiring(identity, time === Number.POSITIVE_INFINITY ? undefined : time);
}

/** Returns true if a time is given and has passed. */
export function isExpired({ expiresAt }: { readonly expiresAt?: number | undefined }): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}

/** Makes the error for a caller whose identity has expired. */
export function expiredError(): RpcError {
  return new RpcError('EXPIRED', 'what the caller logged in with has expired: connect with a new token');
}

/** A caller of an object, with the tag of its identity. */
export interface TaggedCaller extends Caller {
  /** A digest of the identity, by which a client knows whether a new token is for the same one; undefined for nobody. */
  readonly tag: string | undefined;
}

/**
 * The property of `request.cf` through which the Worker gives the object the caller's identity. Unlike a header it
 * cannot come from outside: the runtime makes `cf`, and a client cannot write to it.
 */
const CF_KEY = 'lumenizeCaller';

/** The identity of a caller as it is given to an object. */
interface ForwardedCaller {
  readonly identity: string;
  readonly expiresAt: number | undefined;
  readonly tag: string;
}

/** Returns an identity with its tag, as it is given to an object; undefined for nobody. */
async function forwarded(identity: unknown): Promise<ForwardedCaller | undefined> {
  if (identity === undefined) return undefined;
  const { identity: known, expiresAt } = identity instanceof Expiring ? identity : new Expiring(identity, undefined);
  const text = identityText(known);
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return { identity: text, expiresAt, tag: toBase64Url(new Uint8Array(digest, 0, 16)) };
}

/**
 * Returns an identity in the text form of the codec, in which it is given to an object.
 * @throws {TypeError} if it cannot be cloned
 */
function identityText(identity: unknown): string {
  try {
    return stringify(identity);
  } catch (error) {
    throw new TypeError(`the identity cannot be sent: ${(error as Error).message}`, { cause: error });
  }
}

/**
 * The headers of requests that an object answers. It gets no others, so that what a user's browser sends with every
 * request, such as cookies, ends at the Worker.
 */
const FORWARDED = ['accept', 'content-length', 'content-type', 'upgrade'];

/**
 * Returns the request to forward to the object: with the caller's identity and the headers that are needed, without the
 * token that proved the identity, and without an offer to compress unless `compress` is true.
 * @throws {TypeError} if the identity cannot be cloned
 */
export async function forwardedRequest(request: Request, identity: unknown, compress: boolean): Promise<Request> {
  // Always set, whatever the request holds, so that the object sees only the Worker's own value.
  const cf = { ...request.cf, [CF_KEY]: await forwarded(identity) } as never;
  const given = (name: string) => request.headers.get(name);
  const headers: [string, string][] = [];
  const add = (name: string, value: string | null) => {
    if (value) headers.push([name, value]);
  };
  for (const name of FORWARDED) add(name, given(name));
  add('Sec-WebSocket-Protocol', withoutToken(given('Sec-WebSocket-Protocol')));
  // Without an offer from the client, the runtime would add one of its own.
  const offered = given('Sec-WebSocket-Extensions');
  add('Sec-WebSocket-Extensions', !compress && given('Upgrade') ? 'none' : offered);
  return new Request(request, { cf, headers });
}

/** Makes the caller of a new connection from what the Worker put on its request. */
export function callerOf(request: Request): TaggedCaller {
  return callerFrom(((request.cf ?? {}) as Record<string, ForwardedCaller | undefined>)[CF_KEY]);
}

/** Makes the caller of a new connection that this Worker itself serves. */
export async function taggedCaller(identity: unknown): Promise<TaggedCaller> {
  return callerFrom(await forwarded(identity));
}

function callerFrom(known: ForwardedCaller | undefined): TaggedCaller {
  if (known === undefined) return { ...newCaller(undefined), tag: undefined };
  const { identity, expiresAt, tag } = known;
  return { ...newCaller(new Expiring(parse(identity), expiresAt)), tag };
}

/** Makes the caller of a new connection from an identity that may expire. */
export function newCaller(given: unknown): Caller {
  const { identity, expiresAt } = given instanceof Expiring ? given : new Expiring(given, undefined);
  return { identity, connectionId: randomName(), ...(expiresAt !== undefined && { expiresAt }) };
}
