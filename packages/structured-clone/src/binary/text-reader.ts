import { malformed } from '../clone-error.ts';
import { CHUNK_DIRECTORY, CHUNK_UNITS, MAX_INLINE_CHUNK, UTF16_CHUNK } from './tags.ts';

// A byte order mark is a character like any other here.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const utf16 = new TextDecoder('utf-16le', { fatal: false, ignoreBOM: true });
/** Up to this length a loop over the bytes beats the call into the platform's decoder. */
const LOOP_BYTES = 24;

/** Hands out the strings of an encoding, in order, as slices of its text chunks. */
export class TextReader {
  /** Where the structure ends and the text begins. */
  readonly start: number;
  readonly #bytes: Uint8Array;
  /** Lengths of all chunks in bytes, with their flags; undefined where the one chunk's length is in the trailer. */
  readonly #directory: DataView | undefined;
  #next = 0;
  #position: number;
  #chunk = '';
  #used = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    const last = bytes.length - 1;
    if (last < 0) throw malformed('it is empty');
    const trailer = bytes[last];
    if (trailer <= MAX_INLINE_CHUNK) {
      this.start = this.#position = last - trailer;
      if (this.start < 0) throw malformed('its text is cut off');
      if (trailer > 0) this.#chunk = decodeUtf8(bytes, this.start, last);
      return;
    }
    if (trailer !== CHUNK_DIRECTORY) throw malformed('its trailer is unknown');
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const count = last < 4 ? 0 : view.getUint32(last - 4);
    const directory = last - 4 - count * 4;
    if (directory < 0) throw malformed('its text is cut off');
    this.#directory = new DataView(bytes.buffer, bytes.byteOffset + directory, count * 4);
    let start = directory;
    for (let chunk = 0; chunk < count; chunk++) start -= this.#directory.getUint32(chunk * 4) & ~UTF16_CHUNK;
    if (start < 0) throw malformed('its text is cut off');
    this.start = this.#position = start;
  }

  /** Takes the next `length` units. */
  take(length: number): string {
    const from = this.#used;
    const to = from + length;
    if (to > this.#chunk.length) return this.#takeFromNext(length);
    this.#used = to;
    return this.#chunk.slice(from, to);
  }

  /** Checks that no text is left over: every encoder writes just what its strings need. */
  finish(): void {
    const chunks = this.#directory === undefined ? 0 : this.#directory.byteLength / 4;
    if (this.#used !== this.#chunk.length || this.#next !== chunks) throw malformed('text that no string uses');
  }

  #takeFromNext(length: number): string {
    const directory = this.#directory;
    if (directory === undefined || this.#used !== this.#chunk.length || this.#next * 4 >= directory.byteLength) {
      throw malformed('a string is longer than the text');
    }
    const entry = directory.getUint32(this.#next++ * 4);
    const end = this.#position + (entry & ~UTF16_CHUNK);
    this.#chunk =
      entry >= UTF16_CHUNK
        ? decodeUtf16(this.#bytes, this.#position, end)
        : decodeUtf8(this.#bytes, this.#position, end);
    this.#position = end;
    this.#used = length;
    const size = this.#chunk.length;
    if (length > size) throw malformed('a string is longer than the text');
    // Else one short string that someone keeps would keep a chunk of any size alive.
    if (size > CHUNK_UNITS && length !== size) throw malformed('a text chunk is too long');
    return this.#chunk.slice(0, length);
  }
}

function decodeUtf8(bytes: Uint8Array, from: number, to: number): string {
  if (to - from <= LOOP_BYTES) {
    let text = '';
    let index = from;
    for (; index < to; index++) {
      const byte = bytes[index];
      if (byte > 0x7f) break;
      text += String.fromCharCode(byte);
    }
    if (index === to) return text;
  }
  try {
    return utf8.decode(bytes.subarray(from, to));
  } catch {
    throw malformed('its text is not UTF-8');
  }
}

function decodeUtf16(bytes: Uint8Array, from: number, to: number): string {
  if ((to - from) % 2 !== 0) throw malformed('half a character');
  const decoded = utf16.decode(bytes.subarray(from, to));
  // The platform's decoder replaces lone surrogates, which are the reason for this form: only unit by unit do they survive.
  if (!decoded.includes('\uFFFD')) return decoded;
  const parts: string[] = [];
  for (let start = from; start < to; start += CHUNK_UNITS) {
    const units: number[] = [];
    for (let at = start; at < Math.min(to, start + CHUNK_UNITS); at += 2) units.push(bytes[at] | (bytes[at + 1] << 8));
    parts.push(String.fromCharCode(...units));
  }
  return parts.join('');
}
