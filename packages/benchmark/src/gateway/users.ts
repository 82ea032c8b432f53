import { CREATE, type User } from './gateway.ts';
import { signToken } from './token.ts';

/** Makes sessions. */
export const CREATOR: User = { name: 'ada', permissions: ['sessions:read', CREATE] };
/** Hears of them, and may make none. */
export const LISTENER: User = { name: 'eve', permissions: ['sessions:read'] };

/** Tokens of those two, signed with the first block that needs them, and one that nobody has signed. */
export interface Tokens {
  readonly creator: string;
  readonly listener: string;
  readonly forged: string;
}

let tokens: Tokens | undefined;

/** Returns the tokens; a gateway is not asked for them. */
export async function tokensOf(): Promise<Tokens> {
  if (tokens === undefined) {
    const [creator, listener] = await Promise.all([signToken(CREATOR), signToken(LISTENER)]);
    // What the one says with the signature of the other.
    const forged = `${creator.split('.')[0]}.${listener.split('.')[1]}`;
    tokens = { creator, listener, forged };
  }
  return tokens;
}
