import { type Bodies, CloneError } from '@lumenize/structured-clone';
import { type Types, textOf } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import { unsendableCode, unsendableReason } from '../../protocol/errors.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { hasBrand } from '../brand.ts';
import { isRemote, isTarget } from '../references/by-reference.ts';

/** The longest part of an error that is quoted in the message of the error in its place. */
const MAX_QUOTE = 200;

/** Replaces the bytes of a Blob or a similar object. Asking for them ends the stream that they would come from. */
const NO_BYTES = new Uint8Array();
const NO_BODIES = {
  get(holder: object) {
    end((holder as Partial<Response>).body);
    return NO_BYTES;
  },
} as Bodies;

/** Replaces a value that travels by reference. */
const NOTHING = { name: 'nothing', parts: [] };

/**
 * Releases a value that nobody receives, because its connection is gone or the value cannot be sent. Calls `letGo` with
 * the targets in it and with those in `made`, and ends its streams and generators, which would otherwise wait forever.
 */
export function letGoOfValue(
  value: unknown,
  types: Types,
  letGo: (target: object) => void,
  made?: readonly object[],
): void {
  const found = new Set(made);
  const extend = (each: object) => {
    found.add(each);
    return NOTHING;
  };
  try {
    textOf([value], { types, tail: [] }, { bodies: NO_BODIES, extend });
  } catch {
    // A value that cannot be encoded has no reader either. Objects behind the failing one are left to garbage
    // collection.
  }
  for (const each of found) {
    if (isTarget(each)) letGo(each);
    // A stub has any method, also those by which streams and generators are ended.
    else if (!isRemote(each)) end(each);
  }
}

/** Ends a stream or a generator. Ignores a failure, because nobody waits for it. */
async function end(value: unknown): Promise<void> {
  try {
    if (hasBrand(value, 'ReadableStream')) await (value.locked || value.cancel());
    else if (hasBrand(value, 'WritableStream')) await (value.locked || value.abort());
    else if ((value as Partial<AsyncGenerator> | null | undefined)?.[Symbol.asyncIterator]) {
      await (value as Partial<AsyncGenerator>).return?.(undefined);
    }
  } catch {
    // The stream or generator is over in either case.
  }
}

/** Creates the error to send in place of an outcome that could not be sent because of `error`. */
export function unsendable(name: string, outcome: Outcome, error: unknown): RpcError {
  const thrown = outcome.ok ? undefined : outcome.error;
  // Callers decide by code and message. The `data` is only an addition.
  if (thrown instanceof RpcError) return new RpcError(thrown.code, thrown.message);
  if (error instanceof RpcError) return error;
  const what = `${outcome.ok ? 'the result' : 'what was thrown'} of ${name}()`;
  // A getter of the value threw. Its error may be anything, so strangers must not see it.
  if (!(error instanceof CloneError)) return new RpcError('INTERNAL', `${what} could not be read`);
  const message = unsendableReason(error).replace(/^at value\[\d\]/, 'at value');
  return new RpcError(unsendableCode(error), `${what}: ${message}${quote(thrown)}`);
}

/**
 * Returns the message of an error that could not be sent whole. The caller was meant to see the error, and the message
 * says what has gone wrong.
 */
function quote(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  try {
    return `; it was ${thrown}`.slice(0, MAX_QUOTE);
  } catch {
    return ''; // the error's own conversion to text may throw, too
  }
}
