import type { SessionCounts } from '../session/incoming/call-context.ts';

/** What a connection has sent and received since it was made, over all its sockets, and what it holds at the moment. */
export interface ConnectionStatistics extends SessionCounts {
  /** How often a connection was made again. */
  reconnects: number;
  framesSent: number;
  framesReceived: number;
  /** Payload bytes, without the transport's own framing. */
  bytesSent: number;
  bytesReceived: number;
}
