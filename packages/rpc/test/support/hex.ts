/** Writes bytes as golden frames have them. */
export function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

/** Reads bytes, which may be grouped by spaces. */
export function bytes(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.from(text.replaceAll(' ', ''), 'hex'));
}
