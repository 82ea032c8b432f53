import { RESENT, REVERSED } from './frame-kind.ts';
import type { Message } from './message.ts';

/** Where the text begins in a message that has bytes behind it. */
const TEXT_START = 4;
/** What is before the id in a frame that is sent again is no longer. */
const MOST_UNITS = 131_072;

const FIRST = /^\[(-?\d{1,16})[,\]]/;
/** The id that a call frame begins with, by what frames of its direction mostly hold; of one that is sent again, too. */
const CALLS = {
  calls: new RegExp(String.raw`^\[(?:${RESENT},(?:null|\d+),\[[\d,]*\],\[)?(\d{1,16})[,\]]`),
  results: new RegExp(String.raw`^\[${REVERSED},(\d{1,16})[,\]]`),
};

/** Returns the number that a frame begins with, without reading it; undefined where there is none. */
export function firstNumber(frame: Message): number | undefined {
  return numberBy(FIRST, frame);
}

/** Returns the id of the first call of a frame of calls that may not be readable; undefined for others. */
export function idOfCalls(frame: Message, expects: keyof typeof CALLS): number | undefined {
  const id = numberBy(CALLS[expects], frame);
  return Number.isSafeInteger(id) ? id : undefined;
}

function numberBy(pattern: RegExp, frame: Message): number | undefined {
  // Digits and brackets are single bytes.
  const text =
    typeof frame === 'string'
      ? frame
      : new TextDecoder('latin1').decode(frame.subarray(TEXT_START, TEXT_START + MOST_UNITS));
  const [, digits] = pattern.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
