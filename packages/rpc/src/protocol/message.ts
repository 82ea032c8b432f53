/** A frame as it is carried: text, or bytes. Its `length` is in bytes, or in the UTF-16 units of text, which take one to three bytes each. */
export type Message = string | Uint8Array<ArrayBuffer>;

/** The most bytes of UTF-8 that a UTF-16 unit takes. */
const BYTES_A_UNIT = 3;

const FRAME_START = '[';
const FRAME_START_BYTE = 0x5b;

/** Returns true if a text is a frame: any other is a heartbeat, or an error. */
export function isFrameText(text: string): boolean {
  return text.startsWith(FRAME_START);
}

/** Returns the bytes of a message, of text in UTF-8. */
export function bytesOf(message: Message): Uint8Array<ArrayBuffer> {
  return typeof message === 'string' ? (new TextEncoder().encode(message) as Uint8Array<ArrayBuffer>) : message;
}

/** Returns the message in bytes of which nobody says whether they are text: a frame that is bytes never begins as one of text. */
export function messageOf(bytes: Uint8Array<ArrayBuffer>): Message {
  const text = bytes[0] === FRAME_START_BYTE ? textOf(bytes) : undefined;
  return text ?? bytes;
}

/** Decodes UTF-8; undefined where it is not valid. */
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

/** Returns the bytes that stand for a message in parts: text follows its length, as in a frame that has bytes behind its text. */
export function binaryForm(message: Message): Uint8Array<ArrayBuffer> {
  if (typeof message !== 'string') return message;
  const text = bytesOf(message);
  const bytes = new Uint8Array(TEXT_LENGTH_BYTES + text.length);
  new DataView(bytes.buffer).setUint32(0, text.length);
  bytes.set(text, TEXT_LENGTH_BYTES);
  return bytes;
}

const TEXT_LENGTH_BYTES = 4;
