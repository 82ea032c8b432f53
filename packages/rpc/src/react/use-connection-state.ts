import { useCallback, useMemo, useSyncExternalStore } from 'react';
import { connection } from '../client/connection.ts';
import type { ConnectionState } from '../client/link-options.ts';
import type { RpcError } from '../errors/rpc-error.ts';

/** The state of a connection, as a component shows it. */
export interface ConnectionStatus {
  /** Whether there is a connection, and whether there will be one. */
  readonly state: ConnectionState;
  /** Why there is no connection: undefined while there is one, and before the first attempt. */
  readonly reason: RpcError | undefined;
}

/**
 * Returns the state of the connection behind a stub, and renders again when it changes. On a server, and while a page takes
 * over what a server has rendered, it is `idle`.
 * @throws {TypeError} where the value is no stub
 */
export function useConnectionState(stub: object): ConnectionStatus {
  const subscribe = useCallback((changed: () => void) => connection(stub).onStateChange(changed), [stub]);
  const state = useSyncExternalStore(
    subscribe,
    () => connection(stub).state,
    () => 'idle' as const,
  );
  const reason = useSyncExternalStore(
    subscribe,
    () => connection(stub).reason,
    () => undefined,
  );
  return useMemo(() => ({ state, reason }), [state, reason]);
}
