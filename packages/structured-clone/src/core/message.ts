import { malformed } from './clone-error.ts';

/** A text, or where bytes belong to it: how many bytes the text is, the text, and these bytes. */
export type Message = string | Uint8Array<ArrayBuffer>;

const LENGTH_BYTES = 4;
/** Made when it is first needed: a runtime may have none until a polyfill is loaded. */
let decoder: TextDecoder | undefined;

/** Puts a text and its bytes into one message. */
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
 * Takes a message apart. The bytes, undefined where it is no more than text, are a view of it.
 * @throws {CloneError} where it is cut off, or its text is not UTF-8
 */
export function fromMessage(message: string | Uint8Array): { text: string; tail?: Uint8Array } {
  if (typeof message === 'string') return { text: message };
  try {
    const { buffer, byteOffset, byteLength } = message;
    const end = LENGTH_BYTES + new DataView(buffer, byteOffset, byteLength).getUint32(0);
    if (end <= byteLength) {
      decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      return { text: decoder.decode(message.subarray(LENGTH_BYTES, end)), tail: message.subarray(end) };
    }
  } catch {
    // It has no length, or its text is not UTF-8.
  }
  throw malformed('message');
}
