import { bytesOf, type Message } from '../../src/protocol/message.ts';
/** Writes a frame of bytes as golden frames have them. */
export function hex(frame: Message): string {
  return Buffer.from(bytesOf(frame)).toString('hex');
}

/** Reads bytes, which may be grouped by spaces. */
export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
}
