import * as v from 'valibot';

/** The user of a token, and that user's permissions. */
export interface User {
  readonly name: string;
  readonly permissions: readonly string[];
}

/** Asks for a session. */
export interface SessionRequest {
  readonly title: string;
  readonly agent: string;
}

/** Checks a request for a session: the same schema in every subject. */
export const SESSION_REQUEST: v.GenericSchema<SessionRequest> = v.object({
  title: v.pipe(v.string(), v.minLength(1), v.maxLength(100)),
  agent: v.picklist(['coder', 'writer']),
});

/** A session as it was made: what is stored, answered and told to everybody else. */
export interface Session extends SessionRequest {
  /** A UUID. */
  readonly id: string;
  readonly owner: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
}

/** The permission without which nobody makes a session. */
export const CREATE = 'sessions:create';

/** Returns true if this user may make sessions. */
export function mayCreate({ permissions }: User): boolean {
  return permissions.includes(CREATE);
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };
/** A secret only in name: whoever reads this may call the benchmark. */
const SECRET = new TextEncoder().encode('what the benchmark signs its tokens with');

/** The key, and not the promise of it: one request of a Worker must not wait for another one's. */
let key: CryptoKey | undefined;

/** Makes a token of a user: what it says as base64 of JSON, a dot, and its HMAC. */
export async function signToken(user: User): Promise<string> {
  const said = btoa(JSON.stringify(user));
  return `${said}.${await signatureOf(said)}`;
}

/** Returns whose token it is; undefined where it was not signed by `signToken`. Every subject's server uses this. */
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

/** Makes sessions. */
export const CREATOR: User = { name: 'ada', permissions: ['sessions:read', CREATE] };
/** Hears of them, and may make none. */
export const LISTENER: User = { name: 'eve', permissions: ['sessions:read'] };

let tokens: ReturnType<typeof signTokens> | undefined;

/** Returns the tokens; a gateway is not asked for them. */
export function tokensOf(): ReturnType<typeof signTokens> {
  tokens ??= signTokens();
  return tokens;
}

/** Signs tokens of those two, and makes one that nobody has signed: what the one says with the signature of the other. */
async function signTokens() {
  const [creator, listener] = await Promise.all([signToken(CREATOR), signToken(LISTENER)]);
  return { creator, listener, forged: `${creator.split('.')[0]}.${listener.split('.')[1]}` };
}
