/** The memory, in bytes, of all that waits on one connection, as it was counted where it arrived. */
export class Waiting {
  readonly max: number;
  /** Arguments of running calls, chunks that are not read, parts of a message, and frames that have to wait. */
  bytes = 0;
  /** By how much all streams together may be ahead of their readers. */
  windows = 0;

  constructor(max: number) {
    this.max = max;
  }

  /** Whether so much more may wait. What waits alone may: messages have limits of their own. */
  fits(bytes: number): boolean {
    return this.bytes === 0 || this.bytes + bytes <= this.max;
  }
}
