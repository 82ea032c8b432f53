import type { Connections } from './connections.ts';
import type { Shared } from './shared.ts';

/**
 * Counts of an object's current activity, and totals since it woke. The totals start again at 0 after the object has
 * left memory.
 */
export interface RpcMetrics {
  /** Number of open connections: sockets, including hibernating ones, and bindings. */
  readonly connections: number;
  /** Number of these connections that are not in memory: sockets on which nothing has arrived since the object woke. */
  readonly hibernating: number;
  /** Number of asynchronous calls that are running. */
  readonly callsInFlight: number;
  /** Number of calls answered with a value. */
  readonly callsSucceeded: number;
  /** Number of calls answered with an error. */
  readonly callsFailed: number;
  /** Number of received messages. */
  readonly framesReceived: number;
  /** Number of sent messages. */
  readonly framesSent: number;
  /**
   * The length of the received messages, without the transport's own framing. It is in UTF-16 units for text, and in
   * bytes for a message that holds any.
   */
  readonly bytesReceived: number;
  /** The length of the sent messages, in the same units. */
  readonly bytesSent: number;
  /**
   * Number of refusals, by the name of the limit, such as `maxCallsInFlight` or `rateLimits.connection`, or else by the
   * code, such as `DENIED`. A refused frame or connection counts once.
   */
  readonly refused: Readonly<Record<string, number>>;
}

/** Returns the metrics of an object. */
export function metricsOf({ size, awake }: Connections, { calls, counts, refusals }: Shared): RpcMetrics {
  return {
    connections: size,
    hibernating: Math.max(size - awake, 0),
    callsInFlight: calls,
    ...counts,
    refused: Object.fromEntries(refusals),
  };
}
