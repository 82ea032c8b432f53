import type { RpcError } from '../errors/rpc-error.ts';
import { missingExtensionError } from '../protocol/errors.ts';
import { isTimeout, isTraceparent } from '../protocol/operation.ts';
import type { ExtensionSession, ExtensionState } from '../session/extension.ts';
import type { SessionCounts } from '../session/incoming/call-context.ts';
import { Call } from '../session/outgoing/call.ts';
import { type CallOptions, nodeOf } from '../session/outgoing/node.ts';
import { stubWithOptions } from '../session/outgoing/stub.ts';
import { Session } from '../session/session.ts';
import type { ConnectionState, StateListener } from './options.ts';
import { ClientSession, closedError } from './session.ts';

/**
 * Counts of the calls, frames and bytes of a connection since it was made, over all its sockets, and of the objects
 * that it holds now.
 */
export interface ConnectionStatistics extends SessionCounts {
  /**
   * Number of calls of this side that ended with a value. Steps of a pipeline and calls that were never written do not
   * count.
   */
  callsSucceeded: number;
  /** Number of calls of this side that ended with an error, either of their method or of the library. */
  callsFailed: number;
  /** Number of times that the connection was made again. */
  reconnects: number;
  /** Number of messages handed to the transport, without heartbeats. */
  framesSent: number;
  /** Number of messages that the transport delivered, without answers to heartbeats. */
  framesReceived: number;
  /**
   * Length of the messages sent, without the transport's own framing. Text counts in UTF-16 units, frames that hold
   * bytes in bytes.
   */
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
  /**
   * Connects now, without waiting for the first call or the next attempt. Also connects again after the server has
   * refused.
   */
  open(): void;
  /**
   * Shows the server a new token, taken from the option `token`, and resolves when the server accepts it. The
   * connection, references and streams stay if the server supports that; calls made meanwhile use the new identity.
   * Without a connection, resolves when there is one. Rejects with the server's error, usually `DENIED`.
   */
  authenticate(): Promise<void>;
  /** Ends the connection for good. Calls that have not settled reject. */
  close(): void;
  /**
   * Calls a listener with each new state, and with the reason if there is no connection. Returns a function that
   * removes the listener.
   */
  onStateChange(listener: StateListener): () => void;
}

/**
 * Returns the connection that a stub belongs to. It is a separate function because a stub has only the members of its
 * target.
 * @throws {TypeError} if the value is not a stub of a client's connection
 */
export function connection(stub: object): Connection {
  const owner = nodeOf(stub)?.owner;
  if (!(owner instanceof ClientSession)) throw new TypeError('connection() needs a stub that connect() returned');
  const { link } = owner;
  return {
    get state() {
      return link.state;
    },
    get reason() {
      return link.reason;
    },
    get statistics() {
      const { counts, outgoing } = owner;
      const { succeeded: callsSucceeded, failed: callsFailed } = outgoing.table;
      return { ...link.traffic, callsSucceeded, callsFailed, reconnects: Math.max(0, link.opened - 1), ...counts };
    },
    open: () => link.connect(),
    authenticate: () => authenticate(owner),
    close: () => owner.close(),
    onStateChange: (listener) => link.onStateChange(listener),
  };
}

async function authenticate({ isStateless, options, link, renewal }: ClientSession): Promise<void> {
  // Each request of a stateless transport carries a token of its own.
  if (!isStateless && options.token == null) throw new TypeError('authenticate() needs the option token of connect()');
  if (link.isFinal) throw closedError();
  if (isStateless) return;
  if (renewal === undefined) throw missingExtensionError('renewal', 'a new token');
  await renewal.begin(true);
}

/**
 * Returns the state that an extension has on the connection of a stub.
 * @throws {TypeError} if the value is not a stub
 */
export function stateOf<State extends ExtensionState>(
  stub: object,
  Kind: new (session: ExtensionSession) => State,
): State {
  const owner = nodeOf(stub)?.owner;
  if (!(owner instanceof Session)) throw new TypeError('stateOf() needs a stub');
  return owner.state(Kind);
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
  /** The name of the call that the path starts at the result of; undefined if it starts at a target or function. */
  readonly call: string | undefined;
}

/**
 * Returns the place that a stub leads to. Stubs with the same `start` and `path` lead to the same place, whatever their
 * options.
 * @throws {TypeError} if the value is not a stub
 */
export function placeOf(stub: object): StubPlace {
  const { owner, base, path } = nodeOf(stub) ?? {};
  if (!(owner instanceof Session)) throw new TypeError('placeOf() needs a stub');
  const call = base instanceof Call ? base.name : undefined;
  return { start: base ?? owner, path: path!, destination: base ? undefined : owner.description, call };
}

/**
 * Returns a copy of a stub whose calls can be cancelled, time out or carry a trace.
 * @throws {TypeError} if the value is not a stub, or an option is invalid
 */
export function withOptions<S extends object>(stub: S, options: CallOptions): S {
  const node = nodeOf(stub);
  if (node === undefined) throw new TypeError('withOptions() needs a stub');
  // Otherwise the peer would refuse the whole frame, including its other calls.
  if (!isTimeout(options.timeoutMs)) throw new TypeError('timeoutMs needs a number of milliseconds, 0 or more');
  if (!isTraceparent(options.traceparent)) throw new TypeError('traceparent needs a text of at most 256 characters');
  return stubWithOptions(node, typeof stub === 'function', options) as S;
}
