import { malformed } from './clone-error.ts';

/**
 * An encoded value: text, or bytes if the value holds bytes. In the latter case it is the length of the text in bytes,
 * the text, and the bytes of the value.
 */
export type Message = string | Uint8Array<ArrayBuffer>;

const LENGTH_BYTES = 4;
/** Created on first use, because a runtime may lack it until a polyfill is loaded. */
let decoder: TextDecoder | undefined;

/** Joins a text and its bytes into one message. */
export function toMessage(text: string, tail: readonly Uint8Array[]): Message {
  if (tail.length === 0) return text;
  const head = new TextEncoder().encode(text);
  let at = LENGTH_BYTES + head.length;
  const message = new Uint8Array(tail.reduce((sum, { length }) => sum + length, at));
  new DataView(message.buffer).setUint32(0, head.length);
  message.set(head, LENGTH_BYTES);
  for (const bytes of tail) {
    message.set(bytes, at);
    at += bytes.length;
  }
  return message;
}

/**
 * Splits a message into its text and its bytes. The bytes are a view of the message; undefined if it is only text.
 * @throws {CloneError} if the message is cut off, or its text is not UTF-8
 */
export function fromMessage(message: string | Uint8Array): { text: string; tail: Uint8Array | undefined } {
  if (typeof message === 'string') return { text: message, tail: undefined };
  try {
    const { buffer, byteOffset, byteLength } = message;
    const end = LENGTH_BYTES + new DataView(buffer, byteOffset, byteLength).getUint32(0);
    if (end <= byteLength) {
      decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      return { text: decoder.decode(message.subarray(LENGTH_BYTES, end)), tail: message.subarray(end) };
    }
  } catch {
    // The message is too short to have a length, or its text is not UTF-8.
  }
  throw malformed('message');
}
