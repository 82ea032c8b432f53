/** Bytes that an encoder begins with. */
export const FIRST_BYTES = 512;
/** Buffers past this size are handed out instead of copied, and not kept for the next encoding. */
export const MAX_KEPT_BYTES = 65_536;
/** Nor are those handed out that are more than so many times as large as what is in them. */
export const MAX_FREE = 4;
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

/** Returns the same bytes as what slices are copies of: those of a subclass, such as Node's Buffer, are views of its memory. */
export function plainBytes(bytes: Uint8Array): Uint8Array {
  return bytes.constructor === Uint8Array ? bytes : new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

const FEW = 16;

/** Returns a list without the items that were in it: the same list, if they were few. */
export function emptied(list: unknown[], count: number): unknown[] {
  if (count > FEW) return [];
  // Their places are kept, since making them takes longer.
  for (let index = 0; index < count; index++) list[index] = undefined;
  return list;
}
