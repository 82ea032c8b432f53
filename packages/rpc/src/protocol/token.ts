import { readTree, resolveLimits, toJson } from '@lumenize/structured-clone/messages';
import { malformedFrame } from './errors.ts';
import type { Message } from './message.ts';
import { firstNumber, readId, TOKEN, TOKEN_CALL_ID } from './tags.ts';

/** Longest token, in UTF-16 units. */
export const MAX_TOKEN_LENGTH = 8192;

/** A frame with a new token that a client shows over its open connection. */
export interface TokenFrame {
  /** Id of the call that the answer is about. */
  readonly callId: number;
  readonly token: string;
}

/** A token as an application gives it. Null and undefined are no token. */
export type GivenToken = string | null | undefined;

/** The option `token`: a token, or a function that returns or resolves to one. */
export type TokenOption = GivenToken | (() => GivenToken | Promise<GivenToken>);

/**
 * Returns a token that an application gives, or undefined for none.
 * @throws {TypeError} if it is neither none nor text of at most 8192 characters
 */
export function tokenOf(given: unknown): string | undefined {
  if (given == null || isToken(given)) return given ?? undefined;
  throw new TypeError(`token needs text of at most ${MAX_TOKEN_LENGTH} characters`);
}

/**
 * Returns the frame that carries a token.
 * @throws {TypeError} if the token is not text, or is longer than 8192 characters
 */
export function writeToken(given: GivenToken): string {
  return toJson([TOKEN, TOKEN_CALL_ID, tokenOf(given ?? {})]);
}

/** Returns true if a frame carries a token, by the number that it begins with. Its rest is not read. */
export function isTokenFrame(message: Message): message is string {
  return typeof message === 'string' && firstNumber(message) === TOKEN;
}

export function isToken(token: unknown): token is string {
  return typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH;
}

/** A frame with a token holds only numbers and text. */
const LIMITS = resolveLimits({ maxDepth: 0, maxObjects: 1 });

/**
 * Reads a frame with a token.
 * @throws {RpcError} if the frame holds no valid token
 */
export function readToken(message: string): TokenFrame {
  let entries: unknown[] = [];
  try {
    entries = readTree(message, LIMITS, 0, 1) as unknown[];
  } catch {
    // An unreadable frame is no token either, and is refused below.
  }
  const [kind, callId, token, ...rest] = entries;
  if (kind !== TOKEN || !isToken(token) || rest.length > 0) throw malformedFrame('no token');
  return { callId: readId(callId), token };
}
