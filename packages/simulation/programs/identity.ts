import { type Expiring, expiring } from '@lumenize/rpc/server';

/** Who calls, as its token says. */
export interface Identity {
  /** The number of the client, as text. */
  readonly client: string;
  /** The how-manieth token of the client this is. */
  readonly version: number;
  /** Which user of the client it is. */
  readonly user: string;
}

/** Objects that let in clients without a token: only the Worker knows whom to ask for one. */
export const OPEN_TO_ANYONE = new Set<string>();

const NOBODY: Identity = { client: '', version: 0, user: '' };

/**
 * A token is the number of a client, for how many milliseconds it is to be believed, 0 for ever, its own number, and
 * the user; another one is of nobody.
 */
export function identify(token: string | undefined, object?: string): Expiring<Identity> | null {
  if (!token && object !== undefined && OPEN_TO_ANYONE.has(object)) return expiring(NOBODY, Number.MAX_SAFE_INTEGER);
  const [client, ms, version, user = 'first'] = (token ?? '').split('/');
  if (version === undefined) return null;
  const expiresAt = Number(ms) > 0 ? Date.now() + Number(ms) : Number.MAX_SAFE_INTEGER;
  return expiring<Identity>({ client, version: Number(version), user }, expiresAt);
}

/** The name of who calls, as `nameOfUser` makes it. */
export function nameOf({ client, user }: Identity): string {
  return user === '' ? 'nobody' : `${client} ${user}`;
}
