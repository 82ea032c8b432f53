import { bytesOf, type Message } from '../protocol/message.ts';
import {
  CLIENT_PREFIX,
  EARLY_PREFIX,
  EARLY_SUBPROTOCOL,
  REFUSED_SUBPROTOCOL,
  SUBPROTOCOL,
  TOKEN_PREFIX,
  toBase64Url,
} from '../protocol/version.ts';

/** Lists what a client offers as subprotocols: the version, its own name and how often it has tried, its token, and its first calls. A page can say nothing else with an upgrade, and no log keeps it. */
export function offer(
  name: string,
  attempt: number,
  token: string | undefined,
  early: Message | undefined,
): readonly string[] {
  const offered = [SUBPROTOCOL, `${CLIENT_PREFIX}${name}.${attempt}`];
  if (token !== undefined) offered.push(TOKEN_PREFIX + toBase64Url(new TextEncoder().encode(token)));
  if (early !== undefined) offered.push(EARLY_SUBPROTOCOL, EARLY_PREFIX + toBase64Url(bytesOf(early)));
  offered.push(REFUSED_SUBPROTOCOL);
  return offered;
}

/** Makes a client's name: 128 random bits, in hexadecimal. A client makes one, and needs no store of them as servers have. */
export function newName(): string {
  const digits = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => (byte | 256).toString(16).slice(1));
  return digits.join('');
}
