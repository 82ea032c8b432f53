import { parse, stringify } from '@lumenize/structured-clone';
import { randomName } from '../protocol/random-name.ts';
import type { Caller } from '../session/incoming/call-context.ts';

/**
 * The property of `request.cf` under which the Worker tells the object who the caller is. Unlike a header it cannot
 * come from outside: `cf` is made by the runtime, and a client has no way to write to it.
 */
const CF_KEY = 'lumenizeIdentity';

/** Returns the request as the object gets it: with the caller's identity on it, and without an offer to compress unless asked for. */
export function forObject(request: Request, identity: unknown, compress: boolean): Request {
  const cf = { ...(request.cf as object), [CF_KEY]: stringify(identity) } as never;
  if (compress || !request.headers.has('Upgrade')) return new Request(request, { cf });
  const headers = new Headers(request.headers);
  // Without an offer of the client's the runtime would make one of its own.
  headers.set('Sec-WebSocket-Extensions', 'none');
  return new Request(request, { headers, cf });
}

/** Makes the caller of a new connection from what the Worker put on its request. */
export function callerOf(request: Request): Caller {
  const identity = (request.cf as Record<string, unknown> | undefined)?.[CF_KEY];
  return newCaller(typeof identity === 'string' ? parse(identity) : undefined);
}

/** Makes the caller of a new connection. */
export function newCaller<Identity>(identity: Identity): Caller<Identity> {
  return { identity, connectionId: randomName() };
}
