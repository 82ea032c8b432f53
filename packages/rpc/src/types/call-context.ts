import type { AbortSignal } from './platform.ts';

/** The context of the call that a method answers. */
export interface CallContext<Identity = unknown> {
  /** The caller that `target` was called with. Undefined if the connection has no caller, as in memory. */
  readonly caller: Caller<Identity> | undefined;
  /** The number of the call, which the peer gave it. It is unique for as long as the client lives. */
  readonly callId: number;
  /** Aborted when the caller cancels the call, when its time is up, and when its connection is lost. */
  readonly signal: AbortSignal;
  /**
   * The time at which the caller stops waiting, in milliseconds since 1970 by this side's clock. Undefined if the
   * caller waits forever.
   */
  readonly deadline: number | undefined;
  /** The caller's W3C `traceparent`; undefined if there is none, or if it is not valid. */
  readonly traceparent: string | undefined;
  /** Counts of the objects that this side of the connection holds now, without the call itself. */
  readonly counts: SessionCounts;
}

/** Counts of the objects that a session holds now. All are zero when nothing is going on and nothing is held. */
export interface SessionCounts {
  /** The calls that this side has made and that have not settled. */
  callsInFlight: number;
  /** The targets and functions of this side that the peer holds. */
  exports: number;
  /** The targets and functions of the peer that this side holds. */
  imports: number;
  /** The streams that are open, in either direction. */
  channels: number;
  /** The results of steps that are kept for the peer. */
  heldResults: number;
}

/** The connected caller, as `authenticate` of `routeRpc` identified it. It is the same again after hibernation. */
export interface Caller<Identity = unknown> {
  /** The value that `authenticate` returned; undefined if there is no authentication. */
  readonly identity: Identity;
  /** A random name of this connection. */
  readonly connectionId: string;
  /**
   * The time at which the identity expires, in milliseconds since 1970. Later calls are refused. Undefined if the
   * identity does not expire: see `expiring`.
   */
  readonly expiresAt?: number | undefined;
}
