import type { CallOptions, ConnectOptions } from '@lumenize/rpc';

/** What one side of a connection counts. Those behind `framesReceived` are undefined where the library does not count them. */
export interface Counts {
  framesSent: number;
  framesReceived: number;
  callsInFlight?: number;
  /** Targets, functions and promises that the other side holds of this one, and this one of the other. */
  exports?: number;
  imports?: number;
  /** Results that the server keeps because they may still be used. */
  heldResults?: number;
  /** Streams, iterables and signals that are open. */
  channels?: number;
}

/** The client's side of a library: what the cases need of it beside stubs, each in the way its documentation gives. */
export interface Library {
  /** The base of targets on this side. */
  readonly RpcTarget: abstract new () => object;
  counts(stub: object): Counts;
  withOptions(stub: object, options: CallOptions): object;
}

/** Connects to a fresh `ContractTarget`; a transport that has no use for the options may ignore them. */
export type ConnectContract = (options?: ConnectOptions) => object;
