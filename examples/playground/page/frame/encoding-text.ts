/** Where the text of an encoding is, and its strings in the order in which the structure takes them. */
export interface EncodingText {
  /** Where the structure ends and the text begins, and where the text ends and the trailer begins. */
  readonly start: number;
  readonly end: number;
  /** Takes the next `units` of the text: what they say, and their bytes. */
  take(units: number): { text: string; start: number; end: number };
}

const utf8 = new TextEncoder();
/** As the last byte: text in UTF-16. This and 0xff say that the four bytes before are the length. */
const UTF16_TEXT = 0xfe;
const LONG_TRAILER_BYTES = 5;

/**
 * Finds the text of an encoding by its trailer, as the format of values says.
 * @throws {RangeError} where there is none
 */
export function openText(bytes: Uint8Array): EncodingText {
  const last = bytes.at(-1);
  if (last === undefined) throw new RangeError('an encoding of no bytes');
  const isLong = last >= UTF16_TEXT;
  const end = bytes.length - (isLong ? LONG_TRAILER_BYTES : 1);
  const length = isLong ? new DataView(bytes.buffer, bytes.byteOffset).getUint32(end) : last;
  const start = end - length;
  if (start < 0) throw new RangeError('a trailer that says more than there is');
  const isUtf16 = last === UTF16_TEXT;
  const text = isUtf16
    ? unitsOf(bytes.subarray(start, end))
    : new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes.subarray(start, end));
  let units = 0;
  let position = start;
  return {
    start,
    end,
    take(count) {
      const taken = text.slice(units, units + count);
      if (taken.length < count) throw new RangeError('a string of more text than there is');
      units += count;
      const from = position;
      // The two halves of one character may belong to two strings: the first of them gets its bytes then.
      position = Math.min(end, from + (isUtf16 ? count * 2 : utf8.encode(taken).length));
      return { text: taken, start: from, end: position };
    },
  };
}

/** Text in which half a character may stand alone, which the platform's decoder would replace. */
function unitsOf(bytes: Uint8Array): string {
  let text = '';
  for (let at = 0; at + 1 < bytes.length; at += 2) text += String.fromCharCode(bytes[at] | (bytes[at + 1] << 8));
  return text;
}
