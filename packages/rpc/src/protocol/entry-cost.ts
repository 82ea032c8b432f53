import { countOpened } from '@lumenize/structured-clone/messages';

// What frames and their entries take in memory, about: who writes an entry and who reads it find the same.

/** What an object takes beside its text. */
const OBJECT_BYTES = 128;

/** Returns the cost of a text, in bytes: with what the objects of values that hold marks count as, and the bytes behind it. */
export function costOf(text: string, weight: number, bytes = 0): number {
  const objects = Math.max(countOpened(text, Number.POSITIVE_INFINITY), weight);
  return 2 * text.length + OBJECT_BYTES * objects + bytes;
}

const QUOTE = 34;
const COMMA = 44;
const BACKSLASH = 92;
/** `[` and `{` differ in one bit, and so do their counterparts. */
const CASE = 32;
const OPENING = 123;
const CLOSING = 125;

/** Cuts the text of a list, which has been read, into those of its entries. */
export function entryTexts(text: string, count: number): string[] {
  const first = text.indexOf(',') + 1;
  if (count <= 2) return [text.slice(1, first - 1), text.slice(first, -1)];
  const texts: string[] = [];
  let depth = 0;
  let start = 1;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    if (unit === QUOTE) at = endOfString(text, at);
    else if ((unit | CASE) === OPENING) depth++;
    else if ((unit | CASE) === CLOSING) depth--;
    if (unit !== COMMA ? depth > 0 : depth > 1) continue;
    texts.push(text.slice(start, at));
    start = at + 1;
  }
  return texts;
}

function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let before = end - 1;
    while (text.charCodeAt(before) === BACKSLASH) before--;
    // An even number of backslashes stand for themselves.
    if ((end - before) % 2 === 1) return end;
  }
}
