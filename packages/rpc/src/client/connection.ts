import type { RpcError } from '../errors.ts';
import { Call } from '../peer/call.ts';
import type { CallOptions } from '../peer/options.ts';
import { namesOf, nodeOf, withOptions as stubWithOptions } from '../peer/stub.ts';
import type { SessionCounts } from '../types/call-context.ts';
import { Client } from './client.ts';
import type { ConnectionState, StateListener } from './options.ts';

/** Counts of the frames and bytes of a connection since it was made, and of the objects that it holds now. */
export interface ConnectionStatistics extends SessionCounts {
  /** Number of times that the connection was made again. */
  reconnects: number;
  /** Number of messages handed to the transport, without heartbeats. */
  framesSent: number;
  /** Number of messages that the transport delivered, without answers to heartbeats. */
  framesReceived: number;
  /** Length of the messages sent. Text counts in UTF-16 units, frames that hold bytes in bytes. */
  bytesSent: number;
  /** Length of the messages received, in the same units. */
  bytesReceived: number;
}

/** The connection behind a stub: shows its state and controls it. */
export interface Connection {
  /** The state of the connection. */
  readonly state: ConnectionState;
  /** The reason for having no connection. Undefined while there is one, and before the first attempt. */
  readonly reason: RpcError | undefined;
  /** Counts of the traffic so far, and of the objects that are held. */
  readonly statistics: ConnectionStatistics;
  /** Connects now, without waiting for the first call or the next attempt. Checks an open connection. */
  open(): void;
  /**
   * Connects again with a new token, taken from the option `token`, and resolves when the server has accepted it. What is
   * under way settles before. Subscriptions and stubs of `restorable` methods go on if it is for the same identity; for
   * another one, or none, everything of the session ends. Rejects with the server's error, usually `DENIED`.
   */
  authenticate(): Promise<void>;
  /** Ends the connection for good. Calls that have not settled reject. */
  close(): void;
  /** Calls a listener with each new state, and with the reason if there is no connection. Returns how to remove it. */
  onStateChange(listener: StateListener): () => void;
}

/**
 * Returns the connection that a stub belongs to. It is a separate function because a stub has only the members of its
 * target.
 * @throws {TypeError} if the value is not a stub of a client's connection
 */
export function connection(stub: object): Connection {
  const peer = nodeOf(stub)?.peer;
  if (!(peer instanceof Client)) throw new TypeError('connection() needs a stub that connect() returned');
  return {
    get state() {
      return peer.state;
    },
    get reason() {
      return peer.reason;
    },
    get statistics() {
      const { reconnects, ...traffic } = peer.traffic;
      return { ...peer.counts, ...traffic, reconnects: Math.max(reconnects, 0) };
    },
    open: () => peer.look(),
    authenticate: () => authenticate(peer),
    close: () => peer.close(),
    onStateChange: (listener) => peer.onStateChange(listener),
  };
}

function authenticate(client: Client): Promise<void> {
  if (client.options.token === undefined) throw new TypeError('authenticate() needs the option token of connect()');
  return new Promise((resolve, reject) => {
    if (client.state === 'closed') return reject(client.reason);
    client.renew();
    const stop = client.onStateChange(() => {
      // The state by now: a client that does not reconnect is idle for a moment.
      const { state, reason } = client;
      if (state === 'connecting' || state === 'reconnecting') return;
      stop();
      if (state === 'open') resolve();
      else reject(reason);
    });
  });
}

/** The place that a stub leads to. */
export interface StubPlace {
  /**
   * The object at which the path starts. Stubs of the same connection's target have the same one, and so have stubs of
   * the same reference or of the same result.
   */
  readonly start: object;
  /** The names that lead from the start to the place of the stub. */
  readonly path: readonly string[];
  /**
   * The URL of the connection, or the description that was passed to `connectOver`, if the path starts at the
   * connection's target. Undefined otherwise.
   */
  readonly destination: string | undefined;
  /** True if the path starts at the result of a call, which is another object for each call. */
  readonly isResult: boolean;
  /** The number of the call whose result it is, as `callContext().callId` says it; undefined if it has none. */
  readonly callId: number | undefined;
}

/**
 * Returns the place that a stub leads to. Stubs with the same `start` and `path` lead to the same place, whatever their
 * options.
 * @throws {TypeError} if the value is not a stub
 */
export function placeOf(stub: object): StubPlace {
  const node = nodeOf(stub);
  if (node === undefined) throw new TypeError('placeOf() needs a stub');
  const { base, path, peer } = node;
  const destination = base === undefined && peer instanceof Client ? peer.description : undefined;
  const callId = base instanceof Call ? base.id || undefined : undefined;
  return { start: base ?? peer, path: namesOf(path), destination, isResult: base instanceof Call, callId };
}

/**
 * Returns a copy of a stub whose calls can be cancelled, time out or carry a trace.
 * @throws {TypeError} if the value is not a stub, or an option is invalid
 */
export function withOptions<S extends object>(stub: S, options: CallOptions): S {
  const { timeoutMs, traceparent } = options;
  if (timeoutMs !== undefined && !(typeof timeoutMs === 'number' && timeoutMs >= 0)) {
    throw new TypeError('timeoutMs needs a number of milliseconds, 0 or more');
  }
  if (traceparent !== undefined && (typeof traceparent !== 'string' || traceparent.length > 256)) {
    throw new TypeError('traceparent needs a text of at most 256 characters');
  }
  const copy = stubWithOptions(stub, options);
  if (copy === undefined) throw new TypeError('withOptions() needs a stub');
  return copy as S;
}
