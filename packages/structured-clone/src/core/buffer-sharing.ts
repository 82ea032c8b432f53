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
  clear(): void;
}

export function createBufferSharing(): BufferSharing {
  let used: Set<ArrayBufferLike> | undefined;
  let shared: Set<ArrayBufferLike> | undefined;
  let isKnown = false;

  return {
    add(buffer) {
      if (isKnown) return shared!.has(buffer);
      if (used?.has(buffer)) shared = (shared ?? new Set()).add(buffer);
      else used = (used ?? new Set()).add(buffer);
      return false;
    },
    again() {
      const isNew = shared !== undefined && !isKnown;
      isKnown ||= isNew;
      return isNew;
    },
    clear() {
      used = shared = undefined;
      isKnown = false;
    },
  };
}
