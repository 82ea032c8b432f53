import type { RpcError } from '../errors/rpc-error.ts';
import { nodeOf } from '../session/outgoing/node.ts';
import type { ConnectionState } from './link-options.ts';
import { ClientSession, closedError, type StateListener } from './session.ts';
import type { ConnectionStatistics } from './statistics.ts';

/** Controls and shows the connection behind a stub. */
export interface Connection {
  /** Whether there is a connection, and whether there will be one. */
  readonly state: ConnectionState;
  /** Why there is no connection: undefined while there is one, and before the first attempt. */
  readonly reason: RpcError | undefined;
  /** What it has sent and received up to now. */
  readonly statistics: ConnectionStatistics;
  /** Connects now instead of with the first call or at the next attempt; also where the server has refused before. */
  open(): void;
  /**
   * Shows the server a new token, which the option `token` gives, and resolves when it is taken. Connection, references and
   * streams stay, where the server can do that; calls that are made meanwhile are made under the new identity. Without a
   * connection it resolves when there is one. Rejects as the server says: mostly with `DENIED`.
   */
  authenticate(): Promise<void>;
  /** Ends the connection for good; calls that have not settled reject. */
  close(): void;
  /** Has a listener told of every change of the state, and of why there is no connection; returns how to stop. */
  onStateChange(listener: StateListener): () => void;
}

/**
 * Returns the connection that a stub belongs to. It lives beside the stub because a stub has the target's members only.
 * @throws {TypeError} where the value is no stub
 */
export function connection(stub: object): Connection {
  const owner = nodeOf(stub)?.owner;
  if (!(owner instanceof ClientSession)) throw new TypeError('connection() needs a stub that connect() returned');
  return {
    get state() {
      return owner.link.state;
    },
    get reason() {
      return owner.link.reason;
    },
    get statistics() {
      const { traffic, counts, link, outgoing } = owner;
      const { succeeded: callsSucceeded, failed: callsFailed } = outgoing.table;
      return { ...traffic, callsSucceeded, callsFailed, reconnects: link.reconnects, ...counts };
    },
    open: () => owner.link.connect(),
    authenticate: () => authenticate(owner),
    close: () => owner.close(),
    onStateChange: (listener) => owner.onStateChange(listener),
  };
}

async function authenticate(session: ClientSession): Promise<void> {
  // Each request shows one of its own.
  if (!session.isStateless && session.options.token === undefined) {
    throw new TypeError('authenticate() needs the option token of connect()');
  }
  if (session.link.isFinal) throw closedError();
  if (session.isStateless) return;
  await session.authentication.begin();
}
