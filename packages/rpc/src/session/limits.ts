/** Bounds on what the other side of a connection may ask of this one. */
export interface RpcLimits {
  /** Largest frame to receive or to send, in bytes; the platform's own bound is 33554432. Larger ones travel in parts. @default 8388608 */
  maxFrameBytes: number;
  /** Largest message, also in parts, in bytes. @default 33554432: an object has 128 MiB */
  maxMessageBytes: number;
  /** Objects of all kinds in one call or chunk that a server takes, and 131072 more in all of a frame; a client takes four times as many. Errors, binary data and types of the web count as several. @default 250000, some 50 MB */
  maxObjects: number;
  /** Operations of one frame. @default 10000: that many reads run in some ten milliseconds */
  maxOperationsPerFrame: number;
  /** Calls of one connection that are running because their methods are asynchronous. @default 1000 */
  maxCallsInFlight: number;
  /** Targets and functions that the other side of a connection may hold at once. @default 20000, some 10 MB: it lets go when it collects garbage, which takes its time */
  maxReferences: number;
  /** Streams, async iterables, promises and abort signals that each side of a connection may have passed at once. @default 1000 */
  maxChannels: number;
  /** Bytes that a stream may be ahead of its reader, once the reader has had to wait for it. @default 4194304: 40 MB/s over 100 ms */
  maxStreamWindowBytes: number;
  /** Topics that one connection may be subscribed to at once. @default 100: their names have to fit into 16 kB, with all else that a hibernating socket carries */
  maxSubscriptions: number;
  /** Results of mere steps that are kept for one connection, in case it goes on from them later. @default 100 */
  maxHeldResults: number;
  /** Elements that one `map` or `filter` goes through. @default 100000 */
  maxMapElements: number;
  /** Operations and values that the callbacks of `map` and `filter` in one frame come to, over all elements; and what methods of lists look at, ten to a hundred elements an operation. @default 1000000: about a second */
  maxMapOperations: number;
  /** Memory of all that waits on one connection, in bytes: arguments of running calls, chunks that are not read, frames that wait for a token, what answers a batch over HTTP; beside it, a message that is arriving in parts. What waits alone may take more. @default 33554432: an object has 128 MiB */
  maxBytesInFlight: number;
  /** Asynchronous calls that are running in one object, over all connections. @default 10000: at some kilobytes each they fit into memory */
  maxObjectCallsInFlight: number;
  /** Connections of one object. @default 32000: the platform has room for 32768 sockets, of whatever kind */
  maxConnections: number;
}

/** Defaults of the limits that each connection has. */
export const CORE_LIMITS = { maxFrameBytes: 8_388_608, maxMessageBytes: 33_554_432, maxObjects: 250_000 };

/** Defaults of the limits of what passes targets and functions, and runs calls. */
export const REFERENCE_LIMITS = {
  maxOperationsPerFrame: 10_000,
  maxCallsInFlight: 1000,
  maxReferences: 20_000,
  maxHeldResults: 100,
  maxBytesInFlight: 33_554_432,
  maxObjectCallsInFlight: 10_000,
};

/** Defaults of the limits of streams and the like. */
export const STREAM_LIMITS = { maxChannels: 1000, maxStreamWindowBytes: 4_194_304, maxBytesInFlight: 33_554_432 };

/** Defaults of the limits that only servers have. */
export const SERVER_LIMITS = {
  maxSubscriptions: 100,
  maxMapElements: 100_000,
  maxMapOperations: 1_000_000,
  maxConnections: 32_000,
};

/** Fills in the defaults of what was left out; what is undefined is not given: no number would be over such a limit. */
export function withDefaults<Defaults extends object, Given extends object>(
  defaults: Defaults,
  given: Given | undefined,
): Given & Defaults {
  if (given === undefined) return defaults as Given & Defaults;
  const entries = Object.entries(given).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(entries) } as Given & Defaults;
}
