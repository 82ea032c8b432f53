import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { connection } from '../client/connection.ts';
import type { ConnectionState, ConnectOptions } from '../client/options.ts';
import type { Stub } from '../client/types.ts';
import type { RpcError } from '../errors/rpc-error.ts';
import { isOnServer, serverStub } from './call-view.ts';
import { connectionKey, type SharedConnection, sharedConnection } from './shared-connection.ts';

/**
 * Returns a stub for the target behind a URL, which all components share that ask for the same URL and options. It connects
 * with the first call and closes when the last of them is unmounted and its calls have settled. Functions among the options may be
 * other ones with every rendering: the newest are called; but `observe` and `wrapTransport` are those of the first. On a
 * server nothing is connected, and calls reject.
 * @throws {TypeError} in a page, where the URL is none
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as that of connect() does
export function useRpc(url: string | URL, options?: ConnectOptions): any;
export function useRpc<Api extends object>(url: string | URL, options?: ConnectOptions): Stub<Api>;
export function useRpc(url: string | URL, options: ConnectOptions = {}): unknown {
  return isOnServer() ? serverStub(url) : useSharedConnection(url, options).stub;
}

function useSharedConnection(url: string | URL, options: ConnectOptions): SharedConnection {
  const latest = useRef(options);
  const key = connectionKey(url, options);
  const get = () => sharedConnection(key, url, options);
  // Another connection is asked for by another key only.
  const retain = useCallback(() => get().retain(latest), [key]);
  useEffect(() => {
    latest.current = options;
  });
  // Where the connection was closed between rendering and mounting, React renders again with the one that is retained.
  return useSyncExternalStore(retain, get, get);
}

/** The state of a connection, as a component shows it. */
export interface ConnectionStatus {
  /** The state: whether there is a connection, and whether there will be one. */
  readonly state: ConnectionState;
  /** Reason for having no connection: undefined while there is one, and before the first attempt. */
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
