import type { DecodeOptions } from '@lumenize/structured-clone';
import type { Types } from '@lumenize/structured-clone/messages';

/** Options for reading the values of frames. */
export interface Decoding extends DecodeOptions {
  /** Those that a session carries by value. */
  readonly types: Types;
}

/** A frame as it is carried: text, or bytes. Its `length` is in bytes, or in the UTF-16 units of text, which take one to three bytes each. */
export type Message = string | Uint8Array<ArrayBuffer>;

/** The most bytes of UTF-8 that a UTF-16 unit takes. */
export const BYTES_A_UNIT = 3;

const FRAME_START = '[';
/** The least byte that text begins with. A message with bytes behind its text begins with the length of that, whose first byte is less. */
const FIRST_OF_TEXT = 0x20;

/** Returns true if a text is a frame: any other is a heartbeat, or an error. */
export function isFrameText(text: string): boolean {
  return text.startsWith(FRAME_START);
}

/** Returns the bytes of a message, of text in UTF-8. */
export function bytesOf(message: Message): Uint8Array<ArrayBuffer> {
  return typeof message === 'string' ? (new TextEncoder().encode(message) as Uint8Array<ArrayBuffer>) : message;
}

/** Returns the message whose bytes these are: they tell themselves whether they are text. */
export function messageOf(bytes: Uint8Array<ArrayBuffer>): Message {
  // Who reads what is no UTF-8 finds a length that cannot be.
  return bytes[0] >= FIRST_OF_TEXT ? (textOf(bytes) ?? bytes) : bytes;
}

/** Reads UTF-8; undefined where it is none. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns the bytes to count for a message beside `others`, where all may be no more than `max`. Text is gone through only
 * where it may be too much; far from that, a unit counts as one byte.
 */
export function countedBytes(message: Message, max: number, others = 0): number {
  const isNear = typeof message === 'string' && others + message.length * BYTES_A_UNIT > max;
  return isNear ? bytesOf(message).length : message.length;
}

// What a client asks to learn whether its connection is still alive, and the answer: the only messages that are text, for
// the Workers runtime to answer them by itself, which it does for an exact text and without waking the object.

export const PING = 'ping';
export const PONG = 'pong';

// A server asks the same with a space and a name behind it, by whose return it knows that all before it has been read.

/** Makes the text by which a client is asked for a name. */
export function askFor(name: string): string {
  return `${PING} ${name}`;
}

/** Makes the answer to a text that asks for a name; undefined for any other. */
export function answerTo(text: string): string | undefined {
  return text.startsWith(`${PING} `) ? PONG + text.slice(PING.length) : undefined;
}

/** The name in such an answer; undefined where a text is none. */
export function answeredName(text: string): string | undefined {
  return text.startsWith(`${PONG} `) ? text.slice(PONG.length + 1) : undefined;
}
