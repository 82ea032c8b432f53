import { writeAscii } from './ascii.ts';
import { LONG_TEXT, MAX_SHORT_TEXT, UTF16_TEXT } from './tags.ts';

const utf8 = new TextEncoder();
/** Up to this length a loop over the characters beats the call into the platform's encoder. */
const LOOP_UNITS = 64;
/** So many units of a text, evenly spread, tell whether UTF-16 suits it. */
const SAMPLES = 64;
/** In shorter texts it makes no difference. */
const MIN_SAMPLED = 256;
/** Where a unit takes more bytes of UTF-8 than this, of which UTF-16 takes two. */
const MIN_UTF8_BYTES = 1.5;

/** Bytes of the longest trailer. */
const TRAILER_BYTES = 5;

/**
 * Writes the text of all strings of an encoding from `start` on, and the trailer that says how long it is; returns the
 * position behind it. One call of the platform's encoder does for a message what would take one for each string.
 * `room` gives the buffer with at least so many bytes free from `start` on.
 */
export function writeText(text: string, start: number, room: (size: number) => Uint8Array<ArrayBuffer>): number {
  let end = start;
  let utf16 = false;
  // Most text is ASCII or nearly so: room for more is made only where it is needed.
  let bytes = room(text.length * 1.25 + TRAILER_BYTES);
  if (text.length <= LOOP_UNITS && writeAscii(text, bytes, start)) end += text.length;
  else if (isUtf16(text)) {
    utf16 = true;
    bytes = room(text.length * 2 + TRAILER_BYTES);
    const view = new DataView(bytes.buffer);
    for (let index = 0; index < text.length; index++) {
      view.setUint16(end, text.charCodeAt(index), true);
      end += 2;
    }
  } else {
    let { read, written } = utf8.encodeInto(text, bytes.subarray(start, -TRAILER_BYTES));
    if (read < text.length) {
      bytes = room(text.length * 3 + TRAILER_BYTES);
      ({ written } = utf8.encodeInto(text, bytes.subarray(start)));
    }
    end += written;
  }
  const length = end - start;
  if (!utf16 && length <= MAX_SHORT_TEXT) bytes[end++] = length;
  else {
    for (let shift = 24; shift >= 0; shift -= 8) bytes[end++] = length >>> shift;
    bytes[end++] = utf16 ? UTF16_TEXT : LONG_TEXT;
  }
  return end;
}

/**
 * Whether text is written in UTF-16: what is not well-formed Unicode, and what is mostly not Latin, which becomes no
 * more than a third longer by it, mostly shorter, and takes a fraction of the time.
 */
function isUtf16(text: string): boolean {
  let bytes = 0;
  if (text.length >= MIN_SAMPLED) {
    for (let sample = 0; sample < SAMPLES; sample++) {
      const unit = text.charCodeAt(Math.floor((text.length * sample) / SAMPLES));
      bytes += unit < 0x80 ? 1 : unit < 0x800 ? 2 : 3;
    }
  }
  return bytes > SAMPLES * MIN_UTF8_BYTES || !text.isWellFormed();
}
