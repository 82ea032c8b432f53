import { useCallback, useEffect, useRef, useSyncExternalStore } from 'react';
import type { ConnectOptions } from '../client/connect.ts';
import type { Stub } from '../client/types.ts';
import { isOnServer, serverStub } from './on-server.ts';
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
