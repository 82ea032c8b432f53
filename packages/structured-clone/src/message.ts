import { malformed } from './clone-error.ts';

/**
 * An encoded value: text, or bytes if the value holds bytes. In the latter case it is the length of the text in bytes,
 * the text, and the bytes of the value.
 */
export type Message = string | Uint8Array<ArrayBuffer>;

/** The number of bytes in which the length of the text is. */
export const HEAD = 4;
/** Created on first use, because a runtime may lack it until a polyfill is loaded. */
let decoder: TextDecoder | undefined;

/** Joins a text and its bytes into one message. */
export function toMessage(text: string, tail: readonly Uint8Array[]): Message {
  if (tail.length === 0) return text;
  const parts = [new TextEncoder().encode(text), ...tail];
  const message = new Uint8Array(parts.reduce((sum, { length }) => sum + length, HEAD));
  new DataView(message.buffer).setUint32(0, parts[0].length);
  let at = HEAD;
  for (const part of parts) {
    message.set(part, at);
    at += part.length;
  }
  return message;
}

/**
 * Splits a message into its text and its bytes. The bytes are a view of the message; undefined if it is only text.
 * @throws {CloneError} if the message is cut off, or its text is not UTF-8
 */
export function fromMessage(message: string | Uint8Array): { text: string; tail?: Uint8Array } {
  if (typeof message === 'string') return { text: message };
  try {
    const { buffer, byteOffset, length } = message;
    const end = HEAD + new DataView(buffer, byteOffset, length).getUint32(0);
    if (end <= length) {
      decoder ??= new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
      return { text: decoder.decode(message.subarray(HEAD, end)), tail: message.subarray(end) };
    }
  } catch {
    // The message is too short to have a length, or its text is not UTF-8.
  }
  malformed('message');
}

/**
 * The number of bytes per call: few enough not to reach an engine's limit on arguments. A multiple of three, because
 * three bytes are four digits. A literal, which bundlers leave out where it is not used.
 */
const STEP = 6144;

/** Bytes in newer engines, which have a method for base64. */
type Native = Uint8Array & { toBase64?(): string };

export function toBase64(bytes: Uint8Array): string {
  const { toBase64 } = bytes as Native;
  if (toBase64) return toBase64.call(bytes);
  let text = '';
  for (let at = 0; at < bytes.length; at += STEP) {
    // `apply` reads a list of arguments as it is; a spread would iterate over it.
    text += btoa(String.fromCharCode.apply(null, bytes.subarray(at, at + STEP) as unknown as number[]));
  }
  return text;
}

export function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  let binary: string;
  try {
    binary = atob(text);
  } catch {
    malformed('bytes are not base64');
  }
  const bytes = new Uint8Array(binary.length);
  for (let at = 0; at < bytes.length; at++) bytes[at] = binary.charCodeAt(at);
  return bytes;
}
