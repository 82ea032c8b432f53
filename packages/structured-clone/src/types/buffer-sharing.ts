/**
 * Finds out whether objects of a value use the same buffer. That is rare, and known only when the second one is met:
 * so a view is first written with nothing but its own bytes, and when a second one comes, the value is started over
 * with whole buffers.
 */
export interface BufferSharing {
  /** Notes one more use and returns whether buffers are written whole. */
  add(buffer: ArrayBufferLike): boolean;
  /** Whether what was thrown means that the value must be started over; if so, the next pass writes buffers whole. */
  found(thrown: unknown): boolean;
  clear(): void;
}

/** Thrown through the handlers to start the value over. */
const SHARED = Symbol();

export function createBufferSharing(): BufferSharing {
  let buffers: Set<ArrayBufferLike> | undefined;
  let whole = false;

  return {
    add(buffer) {
      if (whole) return true;
      if (buffers?.has(buffer)) throw SHARED;
      buffers ??= new Set();
      buffers.add(buffer);
      return false;
    },
    found(thrown) {
      whole = thrown === SHARED;
      return whole;
    },
    clear() {
      buffers = undefined;
      whole = false;
    },
  };
}
