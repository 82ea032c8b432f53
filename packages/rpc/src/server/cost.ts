import type { Message } from '../types/message.ts';

/** The bytes that an object or list of JSON may become: those of a Map or an Error, with the call that it belongs to. */
const BRACKET_BYTES = 256;

/** Returns the number of operations that the calls of a frame ask for, and of results that they refer to; 1 at least. */
export function operationsIn(frame: readonly unknown[]): number {
  let operations = 0;
  for (const entry of frame) {
    if (!Array.isArray(entry)) continue;
    for (let at = 0; at < entry.length; at++) {
      const step: unknown = entry[at];
      // A name is a call or a read; a list behind anything else calls the result so far.
      if (typeof step === 'string' || (at > 0 && typeof entry[at - 1] !== 'string' && Array.isArray(step)))
        operations++;
      const { of } = Object(step) as { of?: unknown };
      if (Array.isArray(of)) operations += of.length;
    }
  }
  return Math.max(operations, 1);
}

/** Estimates the memory that a message takes as long as its calls wait. */
export function costOf(message: Message): number {
  if (typeof message === 'string')
    return 2 * message.length + BRACKET_BYTES * (count(message, '[') + count(message, '{'));
  const text = message.subarray(4, 4 + new DataView(message.buffer, message.byteOffset).getUint32(0));
  // The bytes of values are there a second time, in their frame.
  return 2 * message.length + BRACKET_BYTES * (count(text, 0x5b) + count(text, 0x7b));
}

function count<Unit>(text: { indexOf(unit: Unit, from: number): number }, unit: Unit): number {
  let found = 0;
  for (let at = text.indexOf(unit, 0); at >= 0; at = text.indexOf(unit, at + 1)) found++;
  return found;
}
