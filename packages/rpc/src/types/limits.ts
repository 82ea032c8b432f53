/** Limits on what the other side may ask of this one. */
export interface PeerLimits {
  /** The largest message to receive or to send, in bytes. @default 33554432, the limit of the platform */
  maxMessageBytes: number;
  /**
   * The objects of all kinds in one value. Errors, binary data and web types count as several.
   * @default 250000, some 50 MB
   */
  maxObjects: number;
  /** The calls of one frame. @default 10000, which is about ten milliseconds of reading */
  maxOperationsPerFrame: number;
  /** The calls of one connection that are running because their methods are asynchronous. @default 1000 */
  maxCallsInFlight: number;
  /**
   * The targets, functions, streams and signals that each side may hold of the other. A side may release them only when
   * it collects garbage, which takes time.
   * @default 20000, some 10 MB
   */
  maxReferences: number;
  /** The elements that one `map` or `filter` goes through. @default 100000 */
  maxMapElements: number;
  /** The operations that the callbacks of `map` and `filter` in one frame perform, over all elements. @default 1000000 */
  maxMapOperations: number;
}
