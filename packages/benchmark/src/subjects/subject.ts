import type { EventsConnection } from '../events/events.ts';
import type { Feature } from '../features/feature.ts';
import type { GatewayConnection } from '../gateway/gateway.ts';
import type { BlockTimes } from '../load/block-times.ts';
import type { Work } from '../work/work.ts';

/**
 * The subjects of the comparison; `raw-one-frame` is `raw` with all calls of a turn in one frame, the floor of a burst,
 * those called `-plain` have sockets that are not compressed, as Lumenize RPC's are not, and `native` the platform's own RPC from a Worker to an object. Features are Lumenize RPC with just that.
 */
export type SubjectName =
  | 'lumenize'
  | 'lumenize-accept'
  | 'lumenize-batches'
  | 'lumenize-http'
  | 'lumenize-port'
  | 'lumenize-native'
  | 'capnweb'
  | 'capnweb-plain'
  | 'capnweb-http'
  | 'capnweb-port'
  | 'raw'
  | 'raw-accept'
  | 'raw-plain'
  | 'raw-one-frame'
  | 'raw-port'
  | 'native'
  | 'earlier'
  | Feature;

/** One client's connection to one counter object. */
export interface Connection {
  increment(): PromiseLike<number>;
  getValue(): PromiseLike<number>;
  reset(): PromiseLike<unknown>;
  /** Starts `n` increments within one turn of the event loop and resolves with their results, in order. */
  incrementInOneTurn(n: number): Promise<readonly number[]>;
  /**
   * Lets `calls` make calls within one turn of the event loop and returns what it returns. Only where the Worker of the
   * families *pipeline* and *transports* is behind it, and only of libraries.
   */
  turn?<Result>(calls: (work: Work) => PromiseLike<Result>): PromiseLike<Result>;
  /** Publishes and subscribes; only of subjects of the family *events*, and with the Worker that it has. */
  readonly events?: EventsConnection;
  /** Closes the socket, without waiting for the other side. */
  close(): void;
}

/** A way to call the counter. Those that use a WebSocket open the platform's own, looked up when they connect. */
export interface Subject {
  readonly name: SubjectName;
  /** What carries its calls: only of sockets are frames counted. */
  readonly carrier: 'socket' | 'http' | 'port' | 'binding';
  /** Connects to the object called `instance` behind `baseUrl` (`http://…`). */
  connect(baseUrl: string, instance: string): Connection | Promise<Connection>;
  /**
   * Connects to the gateway called `instance` with a token, in the way that the subject has for that; only of subjects of the
   * family *latency*.
   */
  connectAs?(baseUrl: string, instance: string, token: string): GatewayConnection | Promise<GatewayConnection>;
  /** Scenarios that sometimes never end, for a reason that is known: such a block is noted, and the run goes on. */
  readonly mayHang?: { readonly scenarios: RegExp; readonly afterMs: number; readonly because: string };
  /** Runs whole blocks, of the scenario of that name, elsewhere: of subjects whose client is itself in a Worker. `connect` is not called then. */
  readonly runBlock?: (scenario: string, baseUrl: string, instance: string) => Promise<BlockTimes>;
}
