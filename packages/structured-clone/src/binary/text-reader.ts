import { malformed } from '../core/clone-error.ts';
import { readAscii } from './ascii.ts';
import { MAX_SHORT_TEXT, UTF16_TEXT } from './tags.ts';

/** Hands out the strings of an encoding, in order. One reader serves one encoding after the other. */
export interface TextReader {
  /** Finds the text by its trailer, and returns where the structure ends and the text begins. */
  open(bytes: Uint8Array): number;
  /** Takes the next `length` units. */
  take(length: number): string;
  /** Units that were taken. */
  readonly taken: number;
  /** Checks that no text is left over: every encoder writes just what its strings need. */
  finish(): void;
}

// A byte order mark is a character like any other here.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf16 = new TextDecoder('utf-16le', { fatal: true, ignoreBOM: true });
/** Up to this length a loop over the bytes beats the call into the platform's decoder. */
const LOOP_BYTES = 20;
/**
 * Text is decoded this many bytes at a time: one call for dozens of strings, each of which is a slice of the chunk. A
 * string that someone keeps keeps no more than its chunk alive.
 */
const CHUNK_BYTES = 4096;

export function createTextReader(): TextReader {
  let bytes: Uint8Array;
  let isUtf16 = false;
  let position = 0;
  let end = 0;
  let chunk = '';
  let used = 0;
  let taken = 0;

  function decode(size: number): string {
    const from = position;
    position = Math.min(from + size, end);
    if (isUtf16) position -= (position - from) % 2;
    else {
      // Not in the middle of a character: there its continuation bytes are.
      while (position < end && (bytes[position] & 0xc0) === 0x80) position++;
      const text = position - from <= LOOP_BYTES ? readAscii(bytes, from, position) : undefined;
      if (text !== undefined) return text;
    }
    const part = bytes.subarray(from, position);
    try {
      return (isUtf16 ? utf16 : utf8).decode(part);
    } catch {
      if (isUtf16) return unitsOf(part);
      throw malformed('UTF-8', from);
    }
  }

  return {
    open(encoding) {
      bytes = encoding;
      end = bytes.length - 1;
      const trailer = bytes[end];
      isUtf16 = trailer === UTF16_TEXT;
      let length = trailer;
      if (trailer > MAX_SHORT_TEXT) {
        end -= 4;
        length = 0;
        for (let at = 0; at < 4; at++) length = length * 256 + bytes[end + at];
      }
      position = end - length;
      chunk = '';
      used = taken = 0;
      // Also where there is no trailer, or a part of one.
      if (!(position >= 0) || (isUtf16 && length % 2 > 0)) throw malformed('trailer', end);
      return position;
    },
    take(length) {
      let text = chunk.slice(used, used + length);
      used += length;
      taken += length;
      while (text.length < length) {
        if (position >= end) throw malformed('text', position);
        // A long string makes its own chunk, in proportion to its length.
        used = length - text.length;
        chunk = decode(Math.max(CHUNK_BYTES, used * (isUtf16 ? 2 : 1)));
        text += chunk.slice(0, used);
      }
      return text;
    },
    get taken() {
      return taken;
    },
    finish() {
      if (used < chunk.length || position < end) throw malformed('text', position);
    },
  };
}

/** Decodes text with lone surrogates, or with pairs that a chunk's end cuts apart, which the platform's decoder refuses. */
function unitsOf(bytes: Uint8Array): string {
  let text = '';
  // One at a time they would take thirty times their memory.
  for (let from = 0; from < bytes.length; from += CHUNK_BYTES) {
    const to = Math.min(from + CHUNK_BYTES, bytes.length);
    const units: number[] = [];
    for (let at = from; at < to; at += 2) units.push(bytes[at] | (bytes[at + 1] << 8));
    text += String.fromCharCode(...units);
  }
  return text;
}
