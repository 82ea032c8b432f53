import { nodeOf } from '../session/outgoing/node.ts';
import { ClientSession, type ConnectionState } from './session.ts';
import type { ConnectionStatistics } from './statistics.ts';

/** Controls and shows the connection behind a stub. */
export interface Connection {
  readonly state: ConnectionState;
  readonly statistics: ConnectionStatistics;
  /** Connects now instead of with the first call. */
  open(): void;
  /** Ends the connection for good; calls that have not settled reject. */
  close(): void;
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
      return owner.state;
    },
    get statistics() {
      return owner.statistics;
    },
    open: () => owner.connect(),
    close: () => owner.close(),
  };
}
