import * as v from 'valibot';

/** The user of a token, with the user's permissions. */
export interface User {
  readonly name: string;
  readonly permissions: readonly string[];
}

/** A request to create a session. */
export interface SessionRequest {
  readonly title: string;
  readonly agent: string;
}

/** The schema of a request for a session, the same for every subject. */
export const SESSION_REQUEST: v.GenericSchema<SessionRequest> = v.object({
  title: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  agent: v.picklist(['coder', 'writer']),
});

/** A created session, as it is stored, returned and sent to all listeners. */
export interface Session extends SessionRequest {
  /** A UUID. */
  readonly id: string;
  readonly owner: string;
  /** The time of creation, in milliseconds since 1970. */
  readonly createdAt: number;
}

/** The permission that is needed to create a session. */
export const CREATE = 'sessions:create';

/** Returns true if this user may create sessions. */
export function mayCreate({ permissions }: User): boolean {
  return permissions.includes(CREATE);
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };
/** A secret in name only: every reader of this file may call the benchmark. */
const SECRET = new TextEncoder().encode('what the benchmark signs its tokens with');

/** The key itself, and not a promise of it, because one request of a Worker must not wait for another one's. */
let key: CryptoKey | undefined;

/** Creates a token of a user: its JSON as base64, a dot, and the HMAC. */
export async function signToken(user: User): Promise<string> {
  const said = btoa(JSON.stringify(user));
  return `${said}.${await signatureOf(said)}`;
}

/** Returns the user of a token, or undefined if `signToken` did not sign it. Every subject's server uses this. */
export async function verifyToken(token: unknown): Promise<User | undefined> {
  const [said, signature, ...rest] = String(token).split('.');
  const genuine = rest.length === 0 && signature === (await signatureOf(said));
  return genuine ? JSON.parse(atob(said)) : undefined;
}

async function signatureOf(said: string): Promise<string> {
  key ??= await crypto.subtle.importKey('raw', SECRET, ALGORITHM, false, ['sign']);
  const signature = await crypto.subtle.sign(ALGORITHM, key, new TextEncoder().encode(said));
  return btoa(String.fromCharCode(...new Uint8Array(signature)));
}

/** The user who creates sessions. */
export const CREATOR: User = { name: 'ada', permissions: ['sessions:read', CREATE] };
/** The user who is told of sessions, and may not create any. */
export const LISTENER: User = { name: 'eve', permissions: ['sessions:read'] };

let tokens: ReturnType<typeof signTokens> | undefined;

/** Returns the tokens. They are created on first use, as a gateway never needs them. */
export function tokensOf(): ReturnType<typeof signTokens> {
  tokens ??= signTokens();
  return tokens;
}

/** Signs tokens of the two users, and forges one: the user of one token with the signature of the other. */
async function signTokens() {
  const [creator, listener] = await Promise.all([signToken(CREATOR), signToken(LISTENER)]);
  return { creator, listener, forged: `${creator.split('.')[0]}.${listener.split('.')[1]}` };
}
