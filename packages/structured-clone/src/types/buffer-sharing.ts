/** Thrown through the handlers to start the value over. */
const SHARED = Symbol('a buffer is used twice');

/**
 * Finds out whether objects of a value use the same buffer. That is rare, and known only when the second one is met:
 * so a view is first written with nothing but its own bytes, and when a second one comes, the value is started over
 * with whole buffers.
 */
export class BufferSharing {
  #buffers: Set<ArrayBufferLike> | undefined;
  #whole = false;

  /** Notes one more use and returns whether buffers are written whole. */
  add(buffer: ArrayBufferLike): boolean {
    if (this.#whole) return true;
    if (this.#buffers?.has(buffer)) throw SHARED;
    this.#buffers ??= new Set();
    this.#buffers.add(buffer);
    return false;
  }

  /** Whether what was thrown means that the value must be started over; if so, the next pass writes buffers whole. */
  found(thrown: unknown): boolean {
    if (thrown !== SHARED) return false;
    this.#whole = true;
    return true;
  }

  clear(): void {
    this.#buffers = undefined;
    this.#whole = false;
  }
}
