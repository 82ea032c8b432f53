import { createDecoder } from '@lumenize/structured-clone';
import { readId } from './extension.ts';
import { malformedFrame } from './malformed.ts';
import { isToken, type TokenFrame } from './token.ts';

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
