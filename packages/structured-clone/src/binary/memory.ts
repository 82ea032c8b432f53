/** Bytes that an encoder begins with. */
export const FIRST_BYTES = 512;
/** Buffers past this size are handed out instead of copied, and not kept for the next encoding. */
export const MAX_KEPT_BYTES = 65_536;
/** Allocating this much is cheap in engines, since it needs no call to the system. */
export const TINY_BYTES = 64;

/** Returns so many bytes of a buffer, from its beginning, in memory of their own. */
export function firstBytes(buffer: Uint8Array<ArrayBuffer>, length: number): Uint8Array<ArrayBuffer> {
  if (length > TINY_BYTES) return buffer.slice(0, length);
  const bytes = new Uint8Array(length);
  // So few are copied before the platform has begun to.
  for (let at = 0; at < length; at++) bytes[at] = buffer[at];
  return bytes;
}
