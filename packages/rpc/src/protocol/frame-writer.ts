import type { EncodeOptions } from '@lumenize/structured-clone';
import { countOpened, textOf, toMessage, type Writing } from '@lumenize/structured-clone/messages';
import type { Message } from './message.ts';
import { RECORDING } from './tags.ts';

/** A frame that has grown beyond this is sent, and what comes after it begins another: what it holds is not copied. */
export const FULL_SIZE = 262_144;

/** Writes frames: each entry becomes text when it is written, and a frame is the texts in one list, with the bytes of all behind it. */
export class FrameWriter {
  // The constructor sets its fields: what sets them elsewhere would be a function more for every frame.
  declare private readonly options: EncodeOptions | undefined;
  declare private readonly writing: Writing & { weight: number; readonly tail: Uint8Array[] };
  declare private text: string;
  /** Bytes of the tail. */
  declare bytes: number;
  /**
   * Size of what has been written: UTF-16 units of text, and bytes behind it. Above `FULL_SIZE` it is to be sent before
   * anything else runs.
   */
  declare size: number;
  /** The id of the first result. */
  declare first: number;
  /** The id that the next result is about unless it says otherwise. */
  declare private next: number;

  /** Takes how values are written; `maxBytes` of the limits bounds all of a frame. */
  constructor(
    writing: Pick<Writing, 'types' | 'locate' | 'limits'>,
    options?: Pick<EncodeOptions, 'extend' | 'bodies' | 'errorStacks'>,
  ) {
    this.options = options;
    this.writing = { ...writing, tail: [], verbatim: RECORDING, weight: 0 };
    this.text = '';
    this.bytes = this.size = this.first = this.next = 0;
  }

  /** Weight of all objects in the last entry if it holds marks, else 0. */
  get weight(): number {
    return this.writing.weight;
  }

  /**
   * Appends an entry as it is now, and returns its text. Where it throws, the frame is as it was.
   * @param id The call that it says the outcome of, if it does. Ids that follow each other cost nothing; a step between others is a
   * number of its own.
   * @throws {CloneError} where the entry holds something that cannot be cloned, with the path to it
   */
  write(entry: unknown, id?: number): string {
    const { writing } = this;
    const { tail } = writing;
    const count = tail.length;
    writing.weight = 0;
    const text = textOf(entry, writing, this.options, this.size);
    // Reading the entry may have had the frame sent.
    const before = this.text;
    if (id !== undefined) {
      if (before === '') this.first = id;
      else if (id !== this.next) this.text = `${before},${id - this.next}`;
      this.next = id + 1;
    }
    this.text = before === '' ? text : `${this.text},${text}`;
    for (let at = count; at < tail.length; at++) this.bytes += tail[at].length;
    this.size = this.text.length + this.bytes;
    // They may be changed before the frame is sent.
    if (this.size <= FULL_SIZE) for (let at = count; at < tail.length; at++) tail[at] = tail[at].slice();
    return text;
  }

  /** Returns the frame that begins with these numbers, and starts the next one. */
  finish(...head: readonly number[]): Message {
    const { tail } = this.writing;
    const text = `[${head.join()}${head.length > 0 && this.size > 0 ? ',' : ''}${this.text}]`;
    const message = tail.length === 0 ? text : toMessage(text, tail);
    tail.length = this.bytes = this.size = 0;
    this.text = '';
    return message;
  }
}

/** Memory that an object takes beside its text. */
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
