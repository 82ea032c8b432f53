import type { SessionCounts } from '../session/incoming/call-context.ts';

/** What a connection has sent and received since it was made, over all its sockets, and what it holds at the moment. */
export interface ConnectionStatistics extends SessionCounts {
  /** Calls of this side that ended with a value. Steps of a chain, and calls that were never written, are not among them. */
  callsSucceeded: number;
  /** Calls of this side that ended with an error, their method's own or the library's. */
  callsFailed: number;
  /** How often a connection was made again. */
  reconnects: number;
  /** Messages that were handed to the transport; heartbeats are none. */
  framesSent: number;
  /** Messages that the transport delivered; answers to heartbeats are none. */
  framesReceived: number;
  /** Payload bytes of what was sent, without the transport's own framing. */
  bytesSent: number;
  /** Payload bytes of what was received. */
  bytesReceived: number;
}
