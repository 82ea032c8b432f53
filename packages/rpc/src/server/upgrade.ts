import { CLOSE_OTHER_IDENTITY } from '../closes.ts';
import { RpcError } from '../errors.ts';
import { json, SUBPROTOCOL } from '../protocol.ts';
import { expiredError, isExpired, type TaggedCaller } from './callers.ts';
import { type OfferedClient, readOffer } from './offer.ts';
import { errorOf, refuse, switchProtocols, versionError } from './refusal.ts';

/**
 * Answers a WebSocket upgrade; returns undefined for other requests. `accept` serves this side's end of the socket; an
 * error that it throws refuses the client.
 */
export function answerUpgrade(
  request: Request,
  callerOf: (request: Request) => TaggedCaller,
  accept: (socket: WebSocket, caller: TaggedCaller, client: OfferedClient | undefined) => void,
): Response | undefined {
  const offer = readOffer(request);
  if (offer === undefined) return undefined;
  if (!offer.isSpoken) return refuse(request, versionError());
  const caller = callerOf(request);
  if (isExpired(caller)) return refuse(request, expiredError());
  if (offer.tag !== undefined && offer.tag !== caller.tag) {
    const error = new RpcError('DENIED', 'the caller is another one than before: what it had has ended');
    return refuse(request, error, CLOSE_OTHER_IDENTITY);
  }
  const [theirs, ours] = Object.values(new WebSocketPair());
  try {
    accept(ours, caller, offer.client);
  } catch (error) {
    return refuse(request, errorOf(error, 'target()'));
  }
  return switchProtocols(theirs, SUBPROTOCOL);
}

/** Returns what the client is told first, if it was identified: the tag of its identity, and how long that is valid. */
export function greetingOf({ tag, expiresAt }: TaggedCaller): string | undefined {
  return tag === undefined ? undefined : json({ as: tag, ms: expiresAt && expiresAt - Date.now() });
}
