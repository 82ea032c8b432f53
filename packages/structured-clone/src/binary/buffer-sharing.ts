/**
 * Finds out which buffers several objects of a value use. That is rare, and known only when the second one is met: so a
 * view is first written with nothing but its own bytes, and where that was wrong for a buffer, the value is written
 * once more.
 */
export interface BufferSharing {
  /** Notes one more use and returns whether the buffer is to be written whole. */
  add(buffer: ArrayBufferLike): boolean;
  /** Whether the value that was written must be written again; then it is known which buffers are shared. */
  again(): boolean;
}

export function createBufferSharing(): BufferSharing {
  const used = new Set<ArrayBufferLike>();
  const shared = new Set<ArrayBufferLike>();
  let isKnown = false;

  return {
    add(buffer) {
      if (isKnown) return shared.has(buffer);
      (used.has(buffer) ? shared : used).add(buffer);
      return false;
    },
    again() {
      const isNew = shared.size > 0 && !isKnown;
      isKnown ||= isNew;
      return isNew;
    },
  };
}
