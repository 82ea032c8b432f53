import { createDecoder } from '@lumenize/structured-clone';
import type { Message } from './message.ts';

/** Thrown to stop reading: what comes after may be anything. */
const ENOUGH = new Error();

/** Reads what a frame begins with, and nothing else of it; undefined where that cannot be read. */
export function firstValue(frame: Message): unknown {
  if (typeof frame === 'string') return undefined;
  let first: unknown;
  try {
    createDecoder({ revive: () => undefined })(frame, (value) => {
      first = value;
      throw ENOUGH;
    });
  } catch {
    // Either it was enough, or there is none.
  }
  return first;
}
