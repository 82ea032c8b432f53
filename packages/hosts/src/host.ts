import type { LinkName } from './links/link.ts';
import type { RunningServer } from './running-server.ts';

/** `workerd` behind an emulated link. */
export type LinkHostName = `workerd-${LinkName}`;

/**
 * The host of a Worker: `workerd` alone, `wrangler dev` without its trace collector, or with it as it comes; `workerd`
 * behind an emulated link; where somebody has deployed it.
 */
export type HostName = 'workerd' | 'wrangler-dev' | 'wrangler-dev-traced' | LinkHostName | 'deployed';

/** The place where something was measured: behind a host, in the process that measures, or as what a page loads. */
export type Place = HostName | 'node' | 'browser';

/** A started server with a Worker of the repository's behind it and empty storage. */
export interface RunningHost extends RunningServer {
  /** The same server past the emulated link that is in front of it. */
  readonly directUrl?: string;
  /** Begins the names of all objects, where what runs before has left objects behind. */
  readonly names?: string;
  /** A server with an earlier state of the code, where there is one beside this. */
  readonly earlier?: EarlierServer;
}

/** A server with an earlier state of the code, and the client that goes with it. */
export interface EarlierServer {
  readonly url: string;
  /** Path of a module with the client's `connect`. */
  readonly client: string;
}

/** A way to serve such a Worker; `start` may be called again and again, each time for a fresh server. */
export interface Host {
  readonly name: HostName;
  /** Starts a server on a free port and resolves once it has answered a request. */
  start(): Promise<RunningHost>;
}
