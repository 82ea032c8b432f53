/** Bounds on what one connection may ask of an object. */
export interface RpcLimits {
  /** Largest frame to receive, in bytes; the platform's own bound is 33554432. @default 8388608: an object has 128 MiB */
  maxFrameBytes: number;
  /** Operations of one frame. @default 10000: that many reads run in some ten milliseconds */
  maxOperationsPerFrame: number;
  /** Calls of one connection that are running because their methods are asynchronous. @default 1000 */
  maxCallsInFlight: number;
}

export const DEFAULT_RPC_LIMITS: Readonly<RpcLimits> = Object.freeze({
  maxFrameBytes: 8_388_608,
  maxOperationsPerFrame: 10_000,
  maxCallsInFlight: 1000,
});
