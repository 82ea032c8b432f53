import { LONG_TEXT, MAX_SHORT_TEXT, UTF16_TEXT } from './tags.ts';

const utf8 = new TextEncoder();
/** Up to this length a loop over the characters beats the call into the platform's encoder. */
const LOOP_UNITS = 48;

/**
 * Writes the text of all strings of an encoding and the trailer that says how long it is; returns the position behind
 * it. One call of the platform's encoder does for a message what would take one for each string.
 */
export function writeText(text: string, bytes: Uint8Array, start: number): number {
  let end = start;
  let trailer = LONG_TEXT;
  if (text.length <= LOOP_UNITS) {
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) break;
      bytes[end++] = unit;
    }
  }
  if (end - start < text.length) {
    if (text.isWellFormed()) end = start + utf8.encodeInto(text, bytes.subarray(start)).written;
    else {
      trailer = UTF16_TEXT;
      end = start;
      for (let index = 0; index < text.length; index++) {
        const unit = text.charCodeAt(index);
        bytes[end++] = unit & 0xff;
        bytes[end++] = unit >> 8;
      }
    }
  }
  const length = end - start;
  if (trailer === LONG_TEXT && length <= MAX_SHORT_TEXT) {
    bytes[end++] = length;
    return end;
  }
  for (let shift = 24; shift >= 0; shift -= 8) bytes[end++] = length >>> shift;
  bytes[end++] = trailer;
  return end;
}
