import * as v from 'valibot';
import type { Receiver } from '../work/work.ts';

/** Who a token is of, and what he or she may do. */
export interface User {
  readonly name: string;
  readonly permissions: readonly string[];
}

/** What a session is asked for with. */
export interface SessionRequest {
  readonly title: string;
  readonly agent: string;
}

/** What a request for a session has to look like: the same schema in every subject. */
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

/** The gateway as a client has it who has shown a token. */
export interface GatewayConnection {
  /** Answers `pong`: the method has no state, and neither reads nor writes. */
  ping(): PromiseLike<string>;
  /** Returns the name of whose token was shown. */
  whoAmI(): PromiseLike<string>;
  createSession(request: SessionRequest): PromiseLike<Session>;
  /** Returns how many sessions are stored. */
  countSessions(): PromiseLike<number>;
  /** Resolves when the listener will be told of every session that somebody else makes from then on. */
  listen(listener: Receiver<Session>): Promise<void>;
  /** Closes the socket, without waiting for the other side. */
  close(): void;
}

/** The permission without which nobody makes a session. */
export const CREATE = 'sessions:create';

/** Whether this user may make sessions. */
export function mayCreate({ permissions }: User): boolean {
  return permissions.includes(CREATE);
}

const ALGORITHM = { name: 'HMAC', hash: 'SHA-256' };
/** A secret only in name: whoever reads this may call the benchmark. */
const SECRET = new TextEncoder().encode('what the benchmark signs its tokens with');

/** The key, and not the promise of it: one request of a Worker must not wait for another one's. */
let key: CryptoKey | undefined;

/** Makes a token of a user: what it says as base64url of JSON, a dot, and its HMAC. */
export async function signToken(user: User): Promise<string> {
  const said = toBase64Url(new TextEncoder().encode(JSON.stringify(user)));
  const signature = await crypto.subtle.sign(ALGORITHM, await hmacKey(), new TextEncoder().encode(said));
  return `${said}.${toBase64Url(new Uint8Array(signature))}`;
}

/** Returns whose token it is; undefined where it was not signed by `signToken`. Every subject's server uses this. */
export async function verifyToken(token: unknown): Promise<User | undefined> {
  if (typeof token !== 'string') return undefined;
  const [said, signature, ...rest] = token.split('.');
  if (signature === undefined || rest.length > 0) return undefined;
  try {
    const bytes = fromBase64Url(signature);
    const genuine = await crypto.subtle.verify(ALGORITHM, await hmacKey(), bytes, new TextEncoder().encode(said));
    return genuine ? JSON.parse(new TextDecoder().decode(fromBase64Url(said))) : undefined;
  } catch {
    // What is no base64url was not signed either.
    return undefined;
  }
}

async function hmacKey(): Promise<CryptoKey> {
  key ??= await crypto.subtle.importKey('raw', SECRET, ALGORITHM, false, ['sign', 'verify']);
  return key;
}

function toBase64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '');
}

function fromBase64Url(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
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
