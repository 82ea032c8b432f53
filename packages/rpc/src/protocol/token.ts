import { createDecoder, createEncoder } from '@lumenize/structured-clone';
import { readId } from './extension.ts';
import { TOKEN, TOKEN_CALL_ID } from './frame-kind.ts';
import { malformedFrame } from './malformed.ts';
import type { Message } from './message.ts';

/** A longer token, in UTF-16 units, is none. */
const MAX_TOKEN_LENGTH = 8192;

/** A client that shows a new token over the connection that it has. */
export interface TokenFrame {
  /** What the answer is to be about. */
  readonly callId: number;
  readonly token: string;
}

/** @throws {TypeError} where it is no text, or longer than 8192 characters */
export function writeToken(token: string): Uint8Array<ArrayBuffer> {
  if (!isToken(token)) throw new TypeError(`a token has to be text of at most ${MAX_TOKEN_LENGTH} characters`);
  const encoder = createEncoder();
  for (const value of [TOKEN, TOKEN_CALL_ID, token]) encoder.write(value);
  return encoder.finish();
}

/** The byte that such frames begin with.: -5 in the format of values. */
const MARK = 0x25;

/** Whether a frame is one with a token, or pretends to be: seen at a glance, for it is asked of every frame. */
export function isTokenFrame(message: Message): message is Uint8Array<ArrayBuffer> {
  return message[0] === MARK;
}

export function isToken(token: unknown): token is string {
  return typeof token === 'string' && token.length <= MAX_TOKEN_LENGTH;
}

/**
 * Reads a frame with a token.
 * @throws {RpcError | CloneError} where it is none
 */
export function readToken(bytes: Uint8Array): TokenFrame {
  const values: unknown[] = [];
  createDecoder({ revive: unexpected })(bytes, (value) => values.push(value));
  const [, callId, token, ...rest] = values;
  if (!isToken(token) || rest.length > 0) throw malformedFrame('no token');
  return { callId: readId(callId), token };
}

function unexpected(): never {
  throw malformedFrame('something beside a token');
}
