/** What is going on in an object, and what has been refused since it woke. */
export interface RpcMetrics {
  /** Connections that are open: sockets, also those that are hibernating, and bindings. */
  readonly connections: number;
  /** Asynchronous calls that are running. */
  readonly callsInFlight: number;
  /**
   * How often something was refused, by the name of the limit, such as `maxCallsInFlight` or `rateLimits.connection`, or
   * else by the code, such as `DENIED`. A frame or connection that was refused counts once.
   */
  readonly refused: Readonly<Record<string, number>>;
}
