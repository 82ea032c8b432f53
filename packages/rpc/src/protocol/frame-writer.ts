import type { EncodeOptions, Limits } from '@lumenize/structured-clone';
import {
  ALL,
  countOpened,
  located,
  resolveLimits,
  textOf,
  toMessage,
  type Writing,
} from '@lumenize/structured-clone/messages';
import type { Message } from './message.ts';
import { RECORDING } from './tags.ts';

/** A frame that has grown to this size is sent, and what comes after it begins another. */
export const FULL_SIZE = 262_144;

/** Writes frames: each entry becomes text when it is written, and a frame is the texts in one list, with the bytes of all behind it. */
export class FrameWriter {
  readonly #options: EncodeOptions;
  readonly #writing: Writing & { weight: number; readonly tail: Uint8Array[] };
  #text = '';
  /** Bytes of the tail. */
  bytes = 0;

  /** `maxBytes` of the limits bounds all of a frame. */
  constructor(options: Omit<EncodeOptions, 'limits'> = {}, limits: Readonly<Limits> = resolveLimits(undefined)) {
    this.#options = options;
    this.#writing = { types: ALL, tail: [], verbatim: RECORDING, locate: located, limits, weight: 0 };
  }

  /** What has been written: UTF-16 units of text, and bytes behind it. */
  get size(): number {
    return this.#text.length + this.bytes;
  }

  /** True if nothing has been written. */
  get isEmpty(): boolean {
    return this.#text === '';
  }

  /** True if the frame is to be sent before anything else runs: what a full frame holds is not copied. */
  get isFull(): boolean {
    return this.size > FULL_SIZE;
  }

  /** What the objects of the last entry count as together, where it holds marks; else 0. */
  get weight(): number {
    return this.#writing.weight;
  }

  /**
   * Appends an entry as it is now, and returns its text. Where it throws, the frame is as it was.
   * @param step A number to put before the entry; none where it is 0.
   * @throws {CloneError} where the entry holds something that cannot be cloned, with the path to it
   */
  write(entry: unknown, step = 0): string {
    const { tail } = this.#writing;
    const before = tail.length;
    this.#writing.weight = 0;
    const text = textOf(entry, this.#writing, this.#options, this.size);
    if (this.#text !== '') this.#text += ',';
    this.#text += step === 0 ? text : `${step},${text}`;
    for (let at = before; at < tail.length; at++) this.bytes += tail[at].length;
    // They may be changed before the frame is sent.
    if (!this.isFull) for (let at = before; at < tail.length; at++) tail[at] = tail[at].slice();
    return text;
  }

  /** Returns the frame that begins with these numbers, and starts the next one. */
  finish(...head: readonly number[]): Message {
    const { tail } = this.#writing;
    const message = toMessage(`[${[...head, ...(this.isEmpty ? [] : [this.#text])].join()}]`, tail);
    this.clear();
    return message;
  }

  /** Drops what has been written. */
  clear(): void {
    this.#writing.tail.length = this.bytes = 0;
    this.#text = '';
  }
}

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
