import { readTree, resolveLimits } from '@lumenize/structured-clone/messages';
import { malformedFrame } from './errors.ts';
import type { Message } from './message.ts';
import { readId, TOKEN, TOKEN_CALL_ID } from './tags.ts';

/** A longer token, in UTF-16 units, is none. */
const MAX_TOKEN_LENGTH = 8192;

/** A client that shows a new token over the connection that it has. */
export interface TokenFrame {
  /** Id of the call that the answer is about. */
  readonly callId: number;
  readonly token: string;
}

/** @throws {TypeError} where it is no text, or longer than 8192 characters */
export function writeToken(token: string): string {
  if (!isToken(token)) throw new TypeError(`a token has to be text of at most ${MAX_TOKEN_LENGTH} characters`);
  return JSON.stringify([TOKEN, TOKEN_CALL_ID, token]);
}

/**
 * Returns true if a frame carries a token, or pretends to. It is asked of every frame, and looks at the beginning only.
 */
export function isTokenFrame(message: Message): message is string {
  return typeof message === 'string' && message.startsWith(`[${TOKEN}`);
}

export function isToken(token: unknown): token is string {
  return typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH;
}

/** Such a frame holds nothing but numbers and text. */
const LIMITS = resolveLimits({ maxDepth: 0, maxObjects: 1 });

/**
 * Reads a frame with a token.
 * @throws {RpcError} where it is none
 */
export function readToken(message: string): TokenFrame {
  let entries: unknown[] = [];
  try {
    entries = readTree(message, LIMITS, 0, 1) as unknown[];
  } catch {
    // Whatever it is, it is no token.
  }
  const [kind, callId, token, ...rest] = entries;
  if (kind !== TOKEN || !isToken(token) || rest.length > 0) throw malformedFrame('no token');
  return { callId: readId(callId), token };
}
