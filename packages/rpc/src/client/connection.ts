import type { RpcError } from '../errors/rpc-error.ts';
import { lacking } from '../protocol/errors.ts';
import { isTimeout, isTraceparent } from '../protocol/operation.ts';
import type { ExtensionSession, ExtensionState } from '../session/extension.ts';
import type { SessionCounts } from '../session/incoming/call-context.ts';
import { type CallOptions, nodeOf } from '../session/outgoing/node.ts';
import { stubWithOptions } from '../session/outgoing/stub.ts';
import { Peer } from '../session/peer.ts';
import type { ConnectionState, StateListener } from './options.ts';
import { ClientSession, closedError } from './session.ts';

/** Counts of what a connection has sent and received since it was made, over all its sockets, and of what it holds at the moment. */
export interface ConnectionStatistics extends SessionCounts {
  /** Calls of this side that ended with a value, without steps of a chain and calls that were never written. */
  callsSucceeded: number;
  /** Calls of this side that ended with an error, their method's own or the library's. */
  callsFailed: number;
  /** Number of times that a connection was made again. */
  reconnects: number;
  /** Messages handed to the transport, without heartbeats. */
  framesSent: number;
  /** Messages that the transport delivered, without answers to heartbeats. */
  framesReceived: number;
  /** Length of what was sent, without the transport's own framing: UTF-16 units of text, or bytes of frames that hold bytes. */
  bytesSent: number;
  /** Length of what was received, in the same units. */
  bytesReceived: number;
}

/** Controls and shows the connection behind a stub. */
export interface Connection {
  /** The state: whether there is a connection, and whether there will be one. */
  readonly state: ConnectionState;
  /** Reason for having no connection: undefined while there is one, and before the first attempt. */
  readonly reason: RpcError | undefined;
  /** Counts of what was sent and received up to now, and of what is held. */
  readonly statistics: ConnectionStatistics;
  /** Connects now, not with the first call or at the next attempt; also after the server has refused. */
  open(): void;
  /**
   * Shows the server a new token, from the option `token`, and resolves when the server accepts it. Connection, references and
   * streams stay if the server supports that; calls made meanwhile use the new identity. Without a connection, resolves when there
   * is one. Rejects as the server says, mostly with `DENIED`.
   */
  authenticate(): Promise<void>;
  /** Ends the connection for good; calls that have not settled reject. */
  close(): void;
  /** Calls a listener with each state, and the reason if there is no connection; returns a function that stops it. */
  onStateChange(listener: StateListener): () => void;
}

/**
 * Returns the connection that a stub belongs to. It lives beside the stub because a stub has the target's members only.
 * @throws {TypeError} where the value is no stub
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
  // Each request shows one of its own.
  if (!isStateless && options.token === undefined)
    throw new TypeError('authenticate() needs the option token of connect()');
  if (link.isFinal) throw closedError();
  if (isStateless) return;
  if (renewal === undefined) throw lacking('renewal', 'a new token');
  await renewal.begin();
}

/**
 * Returns the state that an extension has on the connection of a stub.
 * @throws {TypeError} where the value is no stub
 */
export function stateOf<State extends ExtensionState>(
  stub: object,
  Kind: new (session: ExtensionSession) => State,
): State {
  const owner = nodeOf(stub)?.owner;
  if (!(owner instanceof Peer)) throw new TypeError('stateOf() needs a stub');
  return owner.state(Kind);
}

/** Place that a stub leads to. */
export interface StubPlace {
  /** Start of the path: one object for all stubs of a connection's target, of a reference, or of a result. */
  readonly start: object;
  /** Names from there to what the stub stands for. */
  readonly path: readonly string[];
  /** URL of the connection, or what `connectOver` was told of it, if the path begins at its target; undefined otherwise. */
  readonly destination: string | undefined;
}

/**
 * Returns what a stub leads to: stubs of the same `start` and `path` are the same, whatever their options.
 * @throws {TypeError} if the value is no stub
 */
export function placeOf(stub: object): StubPlace {
  const { owner, base, path } = nodeOf(stub) ?? {};
  if (!(owner instanceof Peer)) throw new TypeError('placeOf() needs a stub');
  return { start: base ?? owner, path: path!, destination: base ? undefined : owner.description };
}

/**
 * Returns a stub like the one given, whose calls can be cancelled, time out or carry a trace.
 * @throws {TypeError} if the value is no stub, or an option is invalid
 */
export function withOptions<S extends object>(stub: S, options: CallOptions): S {
  const node = nodeOf(stub);
  if (node === undefined) throw new TypeError('withOptions() needs a stub');
  // Else the other side would refuse the whole frame, with the calls of others.
  if (!isTimeout(options.timeoutMs)) throw new TypeError('timeoutMs needs a number of milliseconds, 0 or more');
  if (!isTraceparent(options.traceparent)) throw new TypeError('traceparent needs a text of at most 256 characters');
  return stubWithOptions(node, typeof stub === 'function', options) as S;
}
