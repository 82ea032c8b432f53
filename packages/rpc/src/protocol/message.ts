import type { DecodeOptions } from '@lumenize/structured-clone';
import type { Types } from '@lumenize/structured-clone/messages';

/** Options for decoding the values of frames. */
export interface Decoding extends DecodeOptions {
  /** Types that a session carries by value. */
  readonly types: Types;
}

/**
 * A frame as a transport carries it: text or bytes. Its `length` is in bytes, or in the UTF-16 units of text, which
 * take one to three bytes each.
 */
export type Message = string | Uint8Array<ArrayBuffer>;

/** Most bytes of UTF-8 that a UTF-16 unit takes. */
export const BYTES_A_UNIT = 3;

const FRAME_START = '[';
/**
 * The smallest byte that text begins with. A message with bytes behind its text begins with the length of the text,
 * whose first byte is smaller.
 */
const FIRST_OF_TEXT = 0x20;

/** Returns true if a text is a frame. Any other text is a heartbeat or an error. */
export function isFrameText(text: string): boolean {
  return text.startsWith(FRAME_START);
}

/** Returns the bytes of a message. Text is encoded as UTF-8. */
export function bytesOf(message: Message): Uint8Array<ArrayBuffer> {
  return typeof message === 'string' ? (new TextEncoder().encode(message) as Uint8Array<ArrayBuffer>) : message;
}

/** Returns the message with these bytes. The first byte shows whether they are text. */
export function messageOf(bytes: Uint8Array<ArrayBuffer>): Message {
  // Bytes that are not UTF-8 stay bytes. Their reader then finds an impossible length, and refuses them.
  return bytes[0] >= FIRST_OF_TEXT ? (textOf(bytes) ?? bytes) : bytes;
}

/** Decodes UTF-8. Returns undefined if the bytes are not UTF-8. */
export function textOf(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Returns the bytes to count for a message in addition to `others`, where all together may be at most `max`. Text is
 * measured exactly only if it may exceed `max`; otherwise a UTF-16 unit counts as one byte.
 */
export function countedBytes(message: Message, max: number, others = 0): number {
  const isNear = typeof message === 'string' && others + message.length * BYTES_A_UNIT > max;
  return isNear ? bytesOf(message).length : message.length;
}

// The question by which a client learns whether its connection is still alive, and the answer. The Workers runtime
// gives the answer itself, without waking the object. It can do that only for an exact text.

export const PING = 'ping';
export const PONG = 'pong';

// A server asks the same with a space and a name appended. When the client returns the name, the server knows that
// everything before has been read.

/** Returns the text that asks a client to return a name. */
export function askFor(name: string): string {
  return `${PING} ${name}`;
}

/** Returns the answer to a text that asks for a name; undefined for any other text. */
export function answerTo(text: string): string | undefined {
  return text.startsWith(`${PING} `) ? PONG + text.slice(PING.length) : undefined;
}

/** Returns the name in such an answer; undefined for any other text. */
export function answeredName(text: string): string | undefined {
  return text.startsWith(`${PONG} `) ? text.slice(PONG.length + 1) : undefined;
}
