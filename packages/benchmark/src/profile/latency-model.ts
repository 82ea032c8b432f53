/** What an operation costs, as measured. */
export interface OperationCost {
  readonly roundTrips: number;
  /** On the wire, both ways together, headers and all. */
  readonly bytes: number;
  /** What it takes where the link takes nothing. */
  readonly processingUs: number;
}

/** A link between client and server. */
export interface Link {
  /** The round trip time of a packet without content. */
  readonly baseMs: number;
  readonly mbitPerSecond: number;
}

/** The links that are modelled. */
export const BANDWIDTHS_MBIT = [1, 10, 100, 1000] as const;
export const BASES_MS = [5, 20, 50, 100, 200] as const;

/** Content of a TCP segment on Ethernet: 1500 bytes less headers. */
const SEGMENT_BYTES = 1448;
/** Headers of one: IPv4 20, TCP 20, timestamps 12. */
const SEGMENT_HEADER_BYTES = 52;

/**
 * Returns the bytes that `frameBytes` bytes of WebSocket frames of one direction are in TCP segments. Frames are packed
 * into as few segments as they fit in, which favours whoever sends many small ones; acknowledgements are not counted.
 */
export function segmentedBytes(frameBytes: number): number {
  return frameBytes + Math.ceil(frameBytes / SEGMENT_BYTES) * SEGMENT_HEADER_BYTES;
}

/**
 * Models how long an operation takes over `link`, in ms: `base × round trips + bytes × 8 / bandwidth + processing`. The
 * link is idle otherwise, loses nothing and has no slow start; what goes up does not overlap with what comes down.
 */
export function modelledMs(
  { roundTrips, bytes, processingUs }: OperationCost,
  { baseMs, mbitPerSecond }: Link,
): number {
  return baseMs * roundTrips + (bytes * 8) / (mbitPerSecond * 1000) + processingUs / 1000;
}

/** The name that a link's figure has in a result. */
export function linkName({ baseMs, mbitPerSecond }: Link): string {
  return `mbit${mbitPerSecond}Base${baseMs}Ms`;
}
