import type { LinkName } from './links/link.ts';
import type { RunningServer } from './running-server.ts';

/** The name of a `workerd` host behind an emulated link. */
export type LinkHostName = `workerd-${LinkName}`;

/**
 * The name of the host of a Worker: `workerd` alone, `wrangler dev` with or without its trace collector, `workerd`
 * behind an emulated link, or a deployed Worker.
 */
export type HostName = 'workerd' | 'wrangler-dev' | 'wrangler-dev-traced' | LinkHostName | 'deployed';

/** The place of a measurement: a host, the measuring process itself, or the code that a page loads. */
export type Place = HostName | 'node' | 'browser';

/** A running server with empty storage and one of the repository's Workers. */
export interface RunningHost extends RunningServer {
  /** The URL of the same server without the emulated link in front of it. */
  readonly directUrl?: string;
  /** A prefix for the names of all objects, if earlier runs may have left objects behind. */
  readonly names?: string;
  /** A server with an earlier state of the code, if one runs beside this server. */
  readonly earlier?: EarlierServer;
}

/** A server with an earlier state of the code, and the client that belongs to it. */
export interface EarlierServer {
  readonly url: string;
  /** The path of a module with the client's `connect`. */
  readonly client: string;
}

/** A way to serve such a Worker. `start` may be called repeatedly, each time for a new server. */
export interface Host {
  readonly name: HostName;
  /** Starts a server on a free port, and resolves once it has answered a request. */
  start(): Promise<RunningHost>;
}
