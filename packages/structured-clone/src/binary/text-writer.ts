import { CHUNK_DIRECTORY, CHUNK_UNITS, MAX_INLINE_CHUNK, UTF16_CHUNK } from './tags.ts';

const utf8 = new TextEncoder();
/** Up to this length a loop over the characters beats the call into the platform's encoder. */
const LOOP_UNITS = 48;

/** The state of a `TextWriter` at some moment. */
export interface TextMark {
  chunk: string;
  full: number;
  fullUnits: number;
}

/**
 * Collects the text of all strings of an encoding, to be written behind its structure: one call of the platform's
 * encoder for a few thousand characters instead of one for each string.
 */
export class TextWriter {
  #chunk = '';
  #full: string[] = [];
  #fullUnits = 0;

  add(text: string): void {
    if (this.#chunk.length + text.length > CHUNK_UNITS && this.#chunk !== '') {
      this.#full.push(this.#chunk);
      this.#fullUnits += this.#chunk.length;
      this.#chunk = '';
    }
    this.#chunk += text;
  }

  /** UTF-16 units added so far: a lower bound of what `write` writes, in bytes. */
  get size(): number {
    return this.#fullUnits + this.#chunk.length;
  }

  /** An upper bound of what `write` writes, in bytes. */
  get maxBytes(): number {
    return this.size * 3 + (this.#full.length + 1) * 4 + 5;
  }

  /** Writes all text and the trailer that says where it begins; returns the position behind it. */
  write(bytes: Uint8Array, position: number): number {
    if (this.#full.length === 0) {
      const start = position;
      const length = writeShort(this.#chunk, bytes, position);
      if (length >= 0) {
        position = start + length;
        bytes[position++] = length;
        return position;
      }
    }
    const chunks = this.#chunk === '' ? this.#full : [...this.#full, this.#chunk];
    const lengths: number[] = [];
    for (const chunk of chunks) {
      const wellFormed = chunk.isWellFormed();
      const end = wellFormed
        ? position + utf8.encodeInto(chunk, bytes.subarray(position)).written
        : writeUtf16(chunk, bytes, position);
      lengths.push(wellFormed ? end - position : end - position + UTF16_CHUNK);
      position = end;
    }
    const directory = new DataView(bytes.buffer, bytes.byteOffset + position);
    lengths.push(lengths.length);
    lengths.forEach((length, index) => {
      directory.setUint32(index * 4, length);
    });
    position += lengths.length * 4;
    bytes[position++] = CHUNK_DIRECTORY;
    return position;
  }

  clear(): void {
    this.#chunk = '';
    if (this.#fullUnits > 0) this.#full = [];
    this.#fullUnits = 0;
  }

  /** Notes the state, so that what follows can be taken back. */
  mark(): TextMark {
    return { chunk: this.#chunk, full: this.#full.length, fullUnits: this.#fullUnits };
  }

  /** Goes back to a mark. */
  rollback(mark: TextMark): void {
    this.#chunk = mark.chunk;
    this.#full.length = mark.full;
    this.#fullUnits = mark.fullUnits;
  }
}

/** Writes a chunk whose length fits the trailer's one byte and returns that length; -1 where it does not fit. */
function writeShort(text: string, bytes: Uint8Array, position: number): number {
  const { length } = text;
  if (length > MAX_INLINE_CHUNK) return -1;
  if (length <= LOOP_UNITS) {
    let index = 0;
    for (; index < length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7f) break;
      bytes[position + index] = unit;
    }
    if (index === length) return length;
  }
  if (!text.isWellFormed()) return -1;
  const { written } = utf8.encodeInto(text, bytes.subarray(position));
  return written <= MAX_INLINE_CHUNK ? written : -1;
}

function writeUtf16(text: string, bytes: Uint8Array, position: number): number {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    bytes[position++] = unit & 0xff;
    bytes[position++] = unit >> 8;
  }
  return position;
}
