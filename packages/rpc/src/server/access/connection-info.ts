import { parse, stringify } from '@lumenize/structured-clone';
import { randomName } from '../../protocol/random-name.ts';
import type { Caller } from '../../session/incoming/call-context.ts';
import { Expiring } from './expiring.ts';
import { withoutToken } from './token.ts';

/**
 * The property of `request.cf` under which the Worker tells the object who the caller is. Unlike a header it cannot
 * come from outside: `cf` is made by the runtime, and a client has no way to write to it.
 */
const CF_KEY = 'lumenizeIdentity';
/** The property that says when the identity expires. */
const CF_EXPIRES_KEY = 'lumenizeExpiresAt';
/** What it has where nobody asked who is calling, which is no identity's text. */
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
