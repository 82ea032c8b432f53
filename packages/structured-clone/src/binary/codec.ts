/**
 * Encodes a sequence of values into one run of bytes. Shapes and short strings are shared by the whole sequence; the
 * identity of objects is kept within one value, so that no value can change what another arrives as.
 */
export interface Encoder {
  /** Bytes written so far, text that is not ASCII counted low. */
  readonly size: number;
  /** What has been written takes in memory where it arrives, about, in bytes: what the decoder says of all values together. */
  readonly cost: number;
  /**
   * Appends one value. Where it throws, nothing of the value is left behind and the encoder can go on.
   * @param ownDepth Arrays nested so deep, the value itself at 1, are known to have all their indices and nothing else, so that
   *   they need not be looked through for that. @default 0
   * @throws {CloneError} where the value holds something that cannot be cloned, with the path to it
   */
  write(value: unknown, ownDepth?: number): void;
  /** Returns the encoding of all values written, in memory of its own, and starts over. */
  finish(): Uint8Array<ArrayBuffer>;
}

/**
 * Decodes a sequence of values, handing over each, and about how many bytes of memory it takes, before the next is read. Every length, number and reference is
 * checked against what has arrived: malformed bytes allocate no more than a small multiple of their own length.
 * @throws {CloneError} where the bytes are not an encoding or pass a limit; and what `each` throws
 */
export type Decoder = (bytes: Uint8Array, each: (value: unknown, cost: number) => void) => void;
