// A short string by itself is a common value, and takes half the time without an encoder's or a decoder's state.
import { readAscii, writeAscii } from './ascii.ts';
import { LONG, STRING } from './tags.ts';

const FIRST = STRING << 5;

/** Encodes a string whose length fits into its first byte, if it is ASCII. */
export function encodeShortString(text: string): Uint8Array<ArrayBuffer> | undefined {
  const { length } = text;
  if (length >= LONG) return undefined;
  const bytes = new Uint8Array(length + 2);
  bytes[0] = FIRST | length;
  bytes[length + 1] = length;
  return writeAscii(text, bytes, 1) ? bytes : undefined;
}

/** Decodes what `encodeShortString` returns; undefined where it is anything else. */
export function decodeShortString(bytes: Uint8Array): string | undefined {
  const length = bytes.length - 2;
  if (length >= LONG || bytes[0] !== (FIRST | length) || bytes[length + 1] !== length) return undefined;
  return readAscii(bytes, 1, length + 1);
}
