// Loops that beat the platform's encoder and decoder, whose calls cost more than a few dozen characters do.

/** Writes text, if it is ASCII; returns whether it is. */
export function writeAscii(text: string, bytes: Uint8Array, start: number): boolean {
  for (let index = 0; index < text.length; index++) {
    const unit = text.charCodeAt(index);
    if (unit > 0x7f) return false;
    bytes[start + index] = unit;
  }
  return true;
}

/** Reads text, if it is ASCII; else returns undefined. */
export function readAscii(bytes: Uint8Array, start: number, end: number): string | undefined {
  const { fromCharCode } = String;
  let text = '';
  let at = start;
  for (; at + 4 <= end && (bytes[at] | bytes[at + 1] | bytes[at + 2] | bytes[at + 3]) < 0x80; at += 4) {
    text += fromCharCode(bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]);
  }
  for (; at < end && bytes[at] < 0x80; at++) text += fromCharCode(bytes[at]);
  return at === end ? text : undefined;
}
