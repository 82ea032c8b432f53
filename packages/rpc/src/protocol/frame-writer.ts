import type { EncodeOptions } from '@lumenize/structured-clone';
import { countOpened, textOf, toMessage, type Writing } from '@lumenize/structured-clone/messages';
import type { Message } from './message.ts';
import { RECORDING } from './tags.ts';

/**
 * Size beyond which a frame is sent at once, in UTF-16 units of text and bytes behind it. Later entries begin another
 * frame, so the bytes of the frame need not be copied.
 */
export const FULL_SIZE = 262_144;

/**
 * Writes frames. Each entry becomes text when it is written. A frame is a list of these texts, followed by the bytes of
 * all its entries.
 */
export class FrameWriter {
  // The constructor sets the fields: field initializers would call one more function for every frame.
  declare private readonly options: EncodeOptions | undefined;
  declare private readonly writing: Writing & { weight: number; readonly tail: Uint8Array[] };
  declare private text: string;
  /** Number of bytes in the tail. */
  declare bytes: number;
  /**
   * Size of what has been written: UTF-16 units of text, and bytes behind it. Once it exceeds `FULL_SIZE`, the frame
   * must be sent before anything else runs.
   */
  declare size: number;
  /** The id of the call that the first result is about. */
  declare first: number;
  /** The id of the call that the next result is about, unless a number in the frame changes it. */
  declare private next: number;

  /** `writing` and `options` say how values are written. The limit `maxBytes` applies to a whole frame. */
  constructor(
    writing: Pick<Writing, 'types' | 'locate' | 'limits'>,
    options?: Pick<EncodeOptions, 'extend' | 'bodies' | 'errorStacks'>,
  ) {
    this.options = options;
    this.writing = { ...writing, tail: [], verbatim: RECORDING, weight: 0 };
    this.text = '';
    this.bytes = this.size = this.first = this.next = 0;
  }

  /** Weight of all objects in the last entry if it holds marks, otherwise 0. */
  get weight(): number {
    return this.writing.weight;
  }

  /**
   * Appends an entry as it is now, and returns its text. If it throws, the frame stays as it was.
   * @param id The call whose outcome the entry holds, if it holds one. Consecutive ids cost nothing; a gap is written
   * as a number of its own.
   * @throws {CloneError} if the entry holds a value that cannot be cloned; the error has the path to it
   */
  write(entry: unknown, id?: number): string {
    const { writing } = this;
    const { tail } = writing;
    const count = tail.length;
    writing.weight = 0;
    const text = textOf(entry, writing, this.options, this.size);
    // Encoding the entry may have caused the frame to be sent.
    const before = this.text;
    if (id !== undefined) {
      if (before === '') this.first = id;
      else if (id !== this.next) this.text = `${before},${id - this.next}`;
      this.next = id + 1;
    }
    this.text = before === '' ? text : `${this.text},${text}`;
    for (let at = count; at < tail.length; at++) this.bytes += tail[at].length;
    this.size = this.text.length + this.bytes;
    // The application may change the bytes before the frame is sent.
    if (this.size <= FULL_SIZE) for (let at = count; at < tail.length; at++) tail[at] = tail[at].slice();
    return text;
  }

  /** Returns the frame, which begins with the given numbers, and starts the next one. */
  finish(...head: readonly number[]): Message {
    const { tail } = this.writing;
    const text = `[${head.join()}${head.length > 0 && this.size > 0 ? ',' : ''}${this.text}]`;
    const message = tail.length === 0 ? text : toMessage(text, tail);
    tail.length = this.bytes = this.size = 0;
    this.text = '';
    return message;
  }
}

/** Memory that an object takes in addition to its text, in bytes. */
const OBJECT_BYTES = 128;

/**
 * Returns the approximate memory that a frame or an entry takes, in bytes. Its writer and its reader compute the same
 * number.
 * @param weight The weight of the objects in values that hold marks.
 * @param bytes The number of bytes behind the text.
 */
export function costOf(text: string, weight: number, bytes = 0): number {
  const objects = Math.max(countOpened(text, Number.POSITIVE_INFINITY), weight);
  return 2 * text.length + OBJECT_BYTES * objects + bytes;
}
