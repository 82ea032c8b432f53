/** What a connection has sent and received since it was made, over all its sockets. */
export interface ConnectionStatistics {
  framesSent: number;
  framesReceived: number;
  /** Payload bytes, without the transport's own framing. */
  bytesSent: number;
  bytesReceived: number;
  /** Calls made and not yet settled. */
  callsInFlight: number;
}
