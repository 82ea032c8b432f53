/** Limits on what the peer may ask of this side of a connection. */
export interface RpcLimits {
  /**
   * The largest frame to receive or to send, in bytes. The limit of the platform is 33554432. Larger messages travel in
   * parts.
   * @default 8388608
   */
  maxFrameBytes: number;
  /**
   * The largest message, in bytes, including a message that travels in parts.
   * @default 33554432, because an object has 128 MiB
   */
  maxMessageBytes: number;
  /**
   * The objects of all kinds that a server accepts in one call or chunk. A whole frame may have 131072 more, and a
   * client accepts four times as many. Errors, binary data and web types count as several; those of a whole frame may
   * count as 524288 more.
   * @default 250000, some 50 MB
   */
  maxObjects: number;
  /** The operations of one frame. @default 10000, which is about ten milliseconds of reading */
  maxOperationsPerFrame: number;
  /**
   * The calls of one connection that are running because their methods are asynchronous. Callbacks of `map` wait for one
   * another rather than have more calls than this running, which count by themselves.
   * @default 1000
   */
  maxCallsInFlight: number;
  /**
   * The targets and functions that the peer may hold at once. The peer may release them only when it collects garbage,
   * which takes time.
   * @default 20000, some 10 MB
   */
  maxReferences: number;
  /**
   * The streams, async iterables, promises and abort signals that each side of a connection may have open at once.
   * @default 1000
   */
  maxChannels: number;
  /**
   * The bytes that a stream may be ahead of its reader, once the reader has had to wait for it.
   * @default 4194304, which is 40 MB/s over 100 ms
   */
  maxStreamWindowBytes: number;
  /**
   * The topics that one connection may be subscribed to at once. Their names must fit into the 16 kB that a hibernating
   * socket carries, together with everything else there.
   * @default 100
   */
  maxSubscriptions: number;
  /**
   * The results of steps that are kept for one connection, in case later calls use them. A step is a call whose result
   * only other calls use.
   * @default 100
   */
  maxHeldResults: number;
  /** The elements that one `map` or `filter` goes through. @default 100000 */
  maxMapElements: number;
  /**
   * The operations that the callbacks of `map` and `filter` in one frame perform and the values that they use, over all
   * elements. Methods of lists count too: every ten to a hundred elements that they read are one operation.
   * @default 1000000, about a second
   */
  maxMapOperations: number;
  /**
   * The memory of everything that waits on one connection, in bytes: arguments of running calls, chunks that are not
   * read, frames that wait for a token, and the results of an HTTP batch. A message that is arriving in parts counts
   * too, but may exceed the limit, and so may an item that waits alone.
   * @default 33554432, because an object has 128 MiB
   */
  maxBytesInFlight: number;
  /**
   * The asynchronous calls that are running in one object, over all connections.
   * @default 10000, which fit into memory at some kilobytes each
   */
  maxObjectCallsInFlight: number;
  /** The connections of one object. @default 32000, because the platform has room for 32768 sockets of any kind */
  maxConnections: number;
}

/** The defaults of the limits that every connection has. */
export const CORE_LIMITS = { maxFrameBytes: 8_388_608, maxMessageBytes: 33_554_432, maxObjects: 250_000 };

/** The default of the one limit that both calls and channels hold. */
const maxBytesInFlight = 33_554_432;

/** The defaults of the limits for passing targets and functions, and for running calls. */
export const REFERENCE_LIMITS = {
  maxOperationsPerFrame: 10_000,
  maxCallsInFlight: 1000,
  maxReferences: 20_000,
  maxHeldResults: 100,
  maxBytesInFlight,
  maxObjectCallsInFlight: 10_000,
};

/** The defaults of the limits for streams and other channels. */
export const STREAM_LIMITS = { maxChannels: 1000, maxStreamWindowBytes: 4_194_304, maxBytesInFlight };

/** The defaults of the limits that only servers have. */
export const SERVER_LIMITS = {
  maxSubscriptions: 100,
  maxMapElements: 100_000,
  maxMapOperations: 1_000_000,
  maxConnections: 32_000,
};

/**
 * Returns options without what all objects inherit: a page or a Worker may have given them a property of any name. What
 * options have from a class of their own stays. `more` is added to them.
 */
export function ownOptions<Given extends object>(given: Given | undefined, more?: object): Given {
  const isPlain = !given || Object.getPrototypeOf(given) === Object.prototype;
  return Object.assign(Object.create(isPlain ? null : given), given, more);
}

/**
 * Fills in the defaults of omitted limits. A limit of `undefined` counts as omitted, because no number would exceed it.
 */
export function withDefaults<Defaults extends object, Given extends object>(
  defaults: Defaults,
  given: Given | undefined,
): Given & Defaults {
  const entries = Object.entries(given ?? {}).filter(([, value]) => value !== undefined);
  return { ...defaults, ...Object.fromEntries(entries) } as Given & Defaults;
}
