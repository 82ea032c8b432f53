import type { Message } from '../../types/message.ts';

// A row holds several events as messages, each behind its length.

const PREFIX_BYTES = 4;
/** The first byte of a message of bytes: lengths of texts stay below it. Text begins with a character of JSON. */
const FIRST_OF_TEXT = 0x20;

/** Joins messages into the bytes of a row. */
export function writeBatch(messages: readonly Message[]): Uint8Array<ArrayBuffer> {
  const encoder = new TextEncoder();
  const parts = messages.map((message) => (typeof message === 'string' ? encoder.encode(message) : message));
  const bytes = new Uint8Array(parts.reduce((size, part) => size + PREFIX_BYTES + part.length, 0));
  const view = new DataView(bytes.buffer);
  let at = 0;
  for (const part of parts) {
    view.setUint32(at, part.length);
    bytes.set(part, at + PREFIX_BYTES);
    at += PREFIX_BYTES + part.length;
  }
  return bytes;
}

/** Reads the messages of a row. */
export function readBatch(bytes: Uint8Array<ArrayBuffer>): Message[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const messages: Message[] = [];
  for (let at = 0; at < bytes.length; ) {
    const end = at + PREFIX_BYTES + view.getUint32(at);
    messages.push(messageOf(bytes.subarray(at + PREFIX_BYTES, end)));
    at = end;
  }
  return messages;
}

/** Returns the message with these bytes. The first byte shows whether they are text. */
export function messageOf(bytes: Uint8Array<ArrayBuffer>): Message {
  return bytes[0] >= FIRST_OF_TEXT ? new TextDecoder('utf-8', { fatal: false, ignoreBOM: true }).decode(bytes) : bytes;
}
