/** An engine has typed arrays up to this many bytes inside of its heap, and has to move them out of it to hand them over. */
const MOST_BYTES = 64;
const SLAB_BYTES = 8192;

let slab: ArrayBuffer | undefined;
let used = SLAB_BYTES;
let before: Uint8Array | undefined;
let copied: Uint8Array<ArrayBuffer> | undefined;

/**
 * Returns a small frame in memory that sockets can take as it is: a part of a larger piece, which is used once. To move a frame of
 * some bytes out of the engine's heap takes as long as all else that is done for a call. For sockets only, which send what
 * is in view: what clones or transfers a view takes the whole piece.
 */
export function outsideHeap(frame: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const { length } = frame;
  if (length > MOST_BYTES) return frame;
  // As with events, which go to many.
  if (frame === before) return copied!;
  if (used + length > SLAB_BYTES) {
    slab = new ArrayBuffer(SLAB_BYTES);
    used = 0;
  }
  const copy = new Uint8Array(slab!, used, length);
  used += length;
  for (let at = 0; at < length; at++) copy[at] = frame[at];
  before = frame;
  copied = copy;
  return copy;
}
