import type { EncodeOptions } from '@lumenize/structured-clone';
import { countOpened, textOf, toMessage, type Writing } from '@lumenize/structured-clone/messages';
import type { Message } from './message.ts';
import { RECORDING, REVERSED } from './tags.ts';

/** A frame that has grown to this size is sent, and what comes after it begins another. */
export const FULL_SIZE = 262_144;

/** Writes frames: each entry becomes text when it is written, and a frame is the texts in one list, with the bytes of all behind it. */
export class FrameWriter {
  readonly #options: EncodeOptions | undefined;
  readonly #writing: Writing & { weight: number; readonly tail: Uint8Array[] };
  #text = '';
  /** Bytes of the tail. */
  bytes = 0;
  /** What has been written: UTF-16 units of text, and bytes behind it. */
  size = 0;
  /** True if nothing has been written. */
  isEmpty = true;
  /** True if the frame is to be sent before anything else runs: what a full frame holds is not copied. */
  isFull = false;
  /** The id of the first result, and of that which the next one is about unless it says otherwise. */
  #first = 0;
  #next = 0;

  /** Takes how values are written; `maxBytes` of the limits bounds all of a frame. */
  constructor(
    writing: Pick<Writing, 'types' | 'locate' | 'limits'>,
    options?: Pick<EncodeOptions, 'extend' | 'bodies' | 'errorStacks'>,
  ) {
    this.#options = options;
    this.#writing = { ...writing, tail: [], verbatim: RECORDING, weight: 0 };
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
    const written = step === 0 ? text : `${step},${text}`;
    this.#text = this.isEmpty ? written : `${this.#text},${written}`;
    this.isEmpty = false;
    for (let at = before; at < tail.length; at++) this.bytes += tail[at].length;
    this.size = this.#text.length + this.bytes;
    this.isFull = this.size > FULL_SIZE;
    // They may be changed before the frame is sent.
    if (!this.isFull) for (let at = before; at < tail.length; at++) tail[at] = tail[at].slice();
    return text;
  }

  /**
   * Appends what became of a call. Ids that follow each other cost nothing; a step between others is a number of its own.
   * @throws {CloneError} where the entry holds something that cannot be cloned, with the path to it
   */
  writeResult(id: number, entry: unknown[]): void {
    const isFirst = this.isEmpty;
    this.write(entry, isFirst ? 0 : id - this.#next);
    if (isFirst) this.#first = id;
    this.#next = id + 1;
  }

  /** Returns the frame that begins with these numbers, and starts the next one. */
  finish(...head: readonly number[]): Message {
    const { tail } = this.#writing;
    const parts: unknown[] = [...head];
    if (!this.isEmpty) parts.push(this.#text);
    const text = `[${parts.join()}]`;
    const message = tail.length === 0 ? text : toMessage(text, tail);
    this.clear();
    return message;
  }

  /** Returns the frame of results; `isReversed` where these are not what frames of its direction mostly hold. */
  finishResults(isReversed: boolean): Message {
    return isReversed ? this.finish(REVERSED, this.#first) : this.finish(this.#first);
  }

  /** Drops what has been written. */
  clear(): void {
    this.#writing.tail.length = this.bytes = this.size = 0;
    this.#text = '';
    this.isEmpty = true;
    this.isFull = false;
  }
}

/** What an object takes beside its text. */
const OBJECT_BYTES = 128;

/**
 * Returns what a frame or an entry takes in memory, about, in bytes: who writes it and who reads it find the same.
 * @param weight What the objects of values that hold marks count as.
 * @param bytes Bytes behind the text.
 */
export function costOf(text: string, weight: number, bytes = 0): number {
  const objects = Math.max(countOpened(text, Number.POSITIVE_INFINITY), weight);
  return 2 * text.length + OBJECT_BYTES * objects + bytes;
}
