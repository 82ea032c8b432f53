import { RpcError } from '../../errors/rpc-error.ts';

/** An identity that is no longer to be believed after a time. */
export class Expiring<Identity = unknown> {
  /** Who it is. */
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

/** Whether what `authenticate` found out is nobody: also what a comparison that failed, or a look-up of nothing, comes to. */
export function isNobody(found: unknown): boolean {
  const identity = found instanceof Expiring ? found.identity : found;
  return identity === undefined || identity === null || identity === false;
}

/** Whether something that expires then, if it does at all, has. */
export function isExpired(expiresAt: number | undefined): boolean {
  return expiresAt !== undefined && Date.now() >= expiresAt;
}

/** What a caller is told whose identity has expired. */
export function expiredError(): RpcError {
  return new RpcError('EXPIRED', 'what the caller logged in with has expired: connect with a new token');
}
