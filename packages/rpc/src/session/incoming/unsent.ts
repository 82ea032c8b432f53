import { type Bodies, CloneError } from '@lumenize/structured-clone';
import { type Types, textOf } from '@lumenize/structured-clone/messages';
import { RpcError } from '../../errors/rpc-error.ts';
import { unsendableCode, unsendableReason } from '../../protocol/errors.ts';
import type { Outcome } from '../../protocol/result-frame.ts';
import { isTarget } from '../references/by-reference.ts';

/** Longest part of an error that goes into the message of the one in its place. */
const MAX_QUOTE = 200;

/** Stands for the bytes of a Blob or the like, and ends where they would come from. */
const NO_BYTES = new Uint8Array();
const NO_BODIES = {
  get(holder: object) {
    end((holder as Partial<Response>).body);
    return NO_BYTES;
  },
} as Bodies;

/** Stands for what travels by reference. */
const NOTHING = { name: 'nothing', parts: [] };

/**
 * Lets go of a value that nobody gets any more, because its connection is gone: `letGo` is told of the targets in it, and
 * streams and generators are ended, which else would wait for ever.
 */
export function discard(value: unknown, types: Types, letGo: (target: object) => void): void {
  const found = new Set<object>();
  const extend = (each: object) => {
    found.add(each);
    return NOTHING;
  };
  try {
    textOf([value], { types, tail: [] }, { bodies: NO_BODIES, extend });
  } catch {
    // What cannot be encoded has no reader either; what stands behind it is left to garbage collection.
  }
  for (const each of found) {
    if (isTarget(each)) letGo(each);
    else end(each);
  }
}

/** Ends a stream or a generator, whose failure nobody waits for. */
async function end(value: unknown): Promise<void> {
  try {
    if (value instanceof ReadableStream) await (value.locked || value.cancel());
    else if (value instanceof WritableStream) await (value.locked || value.abort());
    else if ((value as Partial<AsyncGenerator> | null | undefined)?.[Symbol.asyncIterator]) {
      await (value as Partial<AsyncGenerator>).return?.(undefined);
    }
  } catch {
    // It is over in either case.
  }
}

/** Makes the error in place of what became of a call, which could not be sent because of `error`. */
export function unsendable(name: string, outcome: Outcome, error: unknown): RpcError {
  const thrown = outcome.ok ? undefined : outcome.error;
  // Code and message are what callers decide by; data is beside it.
  if (thrown instanceof RpcError) return new RpcError(thrown.code, thrown.message);
  if (error instanceof RpcError) return error;
  const what = `${outcome.ok ? 'the result' : 'what was thrown'} of ${name}()`;
  // A getter of the value threw: that may be anything, and is not for strangers.
  if (!(error instanceof CloneError)) return new RpcError('INTERNAL', `${what} could not be read`);
  const message = unsendableReason(error).replace(/^at value\[\d\]/, 'at value');
  return new RpcError(unsendableCode(error), `${what}: ${message}${quote(thrown)}`);
}

/** The message of an error that could not be sent whole: its caller was to see it, and it says what has gone wrong. */
function quote(thrown: unknown): string {
  if (!(thrown instanceof Error)) return '';
  try {
    return `; it was ${thrown}`.slice(0, MAX_QUOTE);
  } catch {
    return ''; // what a class says of itself may throw, too
  }
}
