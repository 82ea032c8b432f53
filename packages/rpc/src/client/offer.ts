import { RpcError } from '../errors.ts';
import {
  CLIENT_PREFIX,
  IDENTITY_PREFIX,
  MAX_TOKEN_LENGTH,
  REFUSED_SUBPROTOCOL,
  SUBPROTOCOL,
  tokenProtocol,
} from '../protocol.ts';

/**
 * Returns the subprotocols that a client offers. A page can send nothing else with an upgrade, and logs do not record
 * them. `client` is its name, with the number of its attempt, and the id below which its calls have settled.
 * @throws {RpcError} `DENIED` if the token is too long
 */
export function offerOf(client: string, token: unknown, tag: string | undefined): string[] {
  const offer = [SUBPROTOCOL, CLIENT_PREFIX + client];
  if (token !== undefined && token !== null) {
    if (typeof token !== 'string') throw new TypeError(`token needs a text, not ${typeof token}`);
    if (token.length > MAX_TOKEN_LENGTH) {
      throw new RpcError('DENIED', `token: ${token.length} characters, and at most ${MAX_TOKEN_LENGTH} are sent`);
    }
    offer.push(tokenProtocol(token));
  }
  if (tag !== undefined) offer.push(IDENTITY_PREFIX + tag);
  return [...offer, REFUSED_SUBPROTOCOL];
}
