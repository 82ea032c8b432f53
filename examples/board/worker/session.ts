import { type Expiring, expiring } from '@lumenize/rpc/server';
import { jwtVerify, SignJWT } from 'jose';
import type { User } from '../shared/cards.ts';

const ALGORITHM = 'HS256';
const LIFETIME_S = 7 * 24 * 3600;

/** Makes what a cookie says of a user: a signed JSON Web Token. */
export async function sessionCookie({ name }: User, secret: string): Promise<string> {
  const expiresAt = Math.floor(Date.now() / 1000) + LIFETIME_S;
  return new SignJWT()
    .setProtectedHeader({ alg: ALGORITHM })
    .setSubject(name)
    .setExpirationTime(expiresAt)
    .sign(key(secret));
}

/** Returns the user of a request's cookie, until the session ends; undefined where it has none that is ours. */
export async function readSession(request: Request, secret: string): Promise<Expiring<User> | undefined> {
  const [, token] = /(?:^|;\s*)session=([^;]+)/.exec(request.headers.get('Cookie') ?? '') ?? [];
  if (token === undefined) return undefined;
  try {
    const { payload } = await jwtVerify(token, key(secret), { algorithms: [ALGORITHM] });
    return expiring({ name: payload.sub! }, payload.exp! * 1000);
  } catch {
    return undefined; // it has expired, or somebody else has made it
  }
}

function key(secret: string): Uint8Array {
  return new TextEncoder().encode(secret);
}
