import { type Expiring, expiring } from '@lumenize/rpc/server';

/** Who calls, as its token says. */
export interface Identity {
  /** The number of the client, as text. */
  readonly client: string;
  /** The how-manieth token of the client this is. */
  readonly version: number;
}

/** A token is the number of a client, for how many milliseconds it is to be believed, 0 for ever, and its own number; another one is of nobody. */
export function identify(token: string | undefined): Expiring<Identity> | null {
  const [client, ms, version] = (token ?? '').split('/');
  if (version === undefined) return null;
  const expiresAt = Number(ms) > 0 ? Date.now() + Number(ms) : Number.MAX_SAFE_INTEGER;
  return expiring<Identity>({ client, version: Number(version) }, expiresAt);
}
