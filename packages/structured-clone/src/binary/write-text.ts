import { LONG_TEXT, MAX_SHORT_TEXT, UTF16_TEXT } from './tags.ts';

const utf8 = new TextEncoder();
/** Up to this length a loop over the characters beats the call into the platform's encoder. */
const LOOP_UNITS = 64;
/** So many units of a text, evenly spread, tell whether UTF-16 suits it. */
const SAMPLES = 64;
/** Shorter ones are done before that is known. */
const MIN_SAMPLED = 256;
/** Where a unit takes more bytes of UTF-8 than this, of which UTF-16 takes two. */
const MIN_UTF8_BYTES = 1.5;

/**
 * Writes the text of all strings of an encoding and the trailer that says how long it is; returns the position behind
 * it. One call of the platform's encoder does for a message what would take one for each string.
 */
export function writeText(text: string, bytes: Uint8Array, view: DataView, start: number): number {
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
    if (suitsUtf16(text) || !text.isWellFormed()) {
      trailer = UTF16_TEXT;
      end = start;
      for (let index = 0; index < text.length; index++) {
        view.setUint16(end, text.charCodeAt(index), true);
        end += 2;
      }
    } else end = start + utf8.encodeInto(text, bytes.subarray(start)).written;
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

/** Text that is mostly not Latin: UTF-16 makes it no more than a third longer, mostly shorter, and takes a fraction of the time. */
function suitsUtf16(text: string): boolean {
  let bytes = 0;
  if (text.length >= MIN_SAMPLED) {
    for (let sample = 0; sample < SAMPLES; sample++) {
      const unit = text.charCodeAt(Math.floor((text.length * sample) / SAMPLES));
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    }
  }
  return bytes > SAMPLES * MIN_UTF8_BYTES;
}
