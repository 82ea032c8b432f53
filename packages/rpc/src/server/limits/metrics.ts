/** What is going on in an object, and what there has been since it woke: counts begin at 0 when it has left memory. */
export interface RpcMetrics {
  /** Connections that are open: sockets, also those that are hibernating, and bindings. */
  readonly connections: number;
  /** Of these, sockets that nothing has arrived on since the object woke, so that nothing of them is in memory. */
  readonly hibernating: number;
  /** Asynchronous calls that are running. */
  readonly callsInFlight: number;
  /** Calls that were answered with a value. Those whose frame was refused are not among them. */
  readonly callsSucceeded: number;
  /** Calls that were answered with an error. */
  readonly callsFailed: number;
  /** Frames that were received; calls that came with an upgrade are in none. */
  readonly framesReceived: number;
  /** Frames that were sent. */
  readonly framesSent: number;
  /** Bytes of the frames that were received, without the transport's own framing. */
  readonly bytesReceived: number;
  /** Bytes of the frames that were sent. */
  readonly bytesSent: number;
  /**
   * How often something was refused, by the name of the limit, such as `maxCallsInFlight` or `rateLimits.connection`, or
   * else by the code, such as `DENIED`. A frame or connection that was refused counts once.
   */
  readonly refused: Readonly<Record<string, number>>;
}
