import type { Settings } from '../peer/options.ts';
import type { PeerLimits } from '../types/limits.ts';
import type { SharedOptions } from './shared.ts';

/** Limits on what clients may ask of a server. */
export interface ServerLimits extends PeerLimits {
  /**
   * The topics that one connection may be subscribed to at once. Their names must fit into the 16 kB that a hibernating
   * socket carries, together with everything else there.
   * @default 100
   */
  maxSubscriptions: number;
  /**
   * The memory of what waits on one connection, in bytes: the frames of running calls, and, counted by themselves, what
   * its client was sent and has not read.
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

/** Options for serving a target, wherever it is. */
export interface ServerOptions extends SharedOptions {
  /** Limits on the requests of a client. Limits that are left out have their defaults. */
  limits?: Partial<ServerLimits>;
  /**
   * Limits of the operations that clients may ask for over time.
   * @default 100000 a second for each connection, 200000 at once
   */
  rateLimits?: SharedOptions['rateLimits'];
  /** Sends the stacks of thrown errors to the caller. @default false, because stacks reveal the server's code */
  errorStacks?: boolean;
  /**
   * Types, and names of registered classes, that are refused in arguments.
   * @default ['RegExp'], because matching a stranger's pattern can take for ever
   */
  refuse?: readonly string[];
  /**
   * Called with each error that a method threw, as it was thrown, and for each result that could not be sent. It gets
   * the name of the method and its call. Also called when a hook fails, or published events cannot be stored or sent,
   * with a phrase that says so and without a call.
   * @default errors that look like defects are logged with `console.error`: all but `RpcError` and errors of the
   * application's own classes
   */
  onError?: SharedOptions['onError'];
  /**
   * Called when a limit, a guard or a schema refuses something, or when the called method does not exist. It gets the
   * name of the refused method, or a phrase such as `'a frame'` or `'a connection'`.
   */
  onRefused?: SharedOptions['onRefused'];
  /** Observes each call that this side answers or makes. `observeCalls` of `@lumenize/rpc/observe` returns one. */
  observe?: Settings['observe'];
}
