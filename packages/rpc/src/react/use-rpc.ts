import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { connect, connectOver } from '../client/connect.ts';
import { connection } from '../client/connection.ts';
import { absoluteUrl, type ConnectionState, type ConnectOptions } from '../client/options.ts';
import type { ClientSession } from '../client/session.ts';
import type { Stub } from '../client/types.ts';
import type { RpcError } from '../errors/rpc-error.ts';
import { CLOSE_NORMAL } from '../protocol/errors.ts';
import { nodeOf } from '../session/outgoing/node.ts';
import type { OpenTransport } from '../transport/transport.ts';
import { isOnServer, serverError, Users } from './shared.ts';

/**
 * Returns a stub for the target behind a URL, shared by all components that ask for the same URL and options. It connects with the
 * first call, and closes when the last of them is unmounted and its calls have settled. Functions among the options may change with each
 * rendering: the newest are called, except for `observe` and `wrapTransport`, which are those of the first. On a server nothing
 * connects, and calls reject.
 * @throws {TypeError} in a page, if the URL is invalid
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as that of connect() does
export function useRpc<Api extends object = any>(url: string | URL, options: ConnectOptions = {}): Stub<Api> {
  return isOnServer() ? connectOver<Api>(refuse, String(url)) : (useSharedConnection(url, options).stub as Stub<Api>);
}

/** The transport of stubs on a server: it never connects, and calls reject. */
const refuse: OpenTransport = (events) => {
  const { code, message } = serverError();
  setTimeout(() => events.lost(CLOSE_NORMAL, `${code}: ${message}`));
  return { send() {}, close() {} };
};

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
 * Returns the state of the connection behind a stub, and renders again when it changes. On a server, and while a page hydrates, it is
 * `idle`.
 * @throws {TypeError} if the value is no stub
 */
export function useConnectionState(stub: object): ConnectionStatus {
  const subscribe = useCallback((changed: () => void) => connection(stub).onStateChange(changed), [stub]);
  const [idle, none] = [() => 'idle' as const, () => undefined];
  const state = useSyncExternalStore(subscribe, () => connection(stub).state, idle);
  const reason = useSyncExternalStore(subscribe, () => connection(stub).reason, none);
  return useMemo(() => ({ state, reason }), [state, reason]);
}

/** The options of a component's last rendering. */
interface LatestOptions {
  current: ConnectOptions;
}

type SharedConnection = ReturnType<typeof makeConnection>;

/** The connections of a page, by what they were asked for with. */
const connections = new Map<string, SharedConnection>();

/** Returns the connection that components share who ask for the same, by its key. It connects with the first call. */
export function sharedConnection(key: string, url: string | URL, options: ConnectOptions): SharedConnection {
  const known = connections.get(key);
  if (known?.isUsable()) return known;
  const made = makeConnection(url, options, () => connections.get(key) === made && connections.delete(key));
  connections.set(key, made);
  return made;
}

/**
 * Returns what connections are compared by: the URL and the options that are data. Functions are not compared, since most are
 * made anew whenever a component renders; but a token that is asked for is another one than none.
 */
export function connectionKey(url: string | URL, options: ConnectOptions): string {
  const { eager, wrapTransport, observe, token, ...others } = options;
  const data = Object.entries(others).filter(([, value]) => value !== undefined && typeof value !== 'function');
  return JSON.stringify([absoluteUrl(url, 'ws', 'connect'), typeof token === 'function' ? true : token, data.sort()]);
}

/** Makes a connection for the components that use it; `options` are those of the component that has rendered first. */
function makeConnection(url: string | URL, options: ConnectOptions, forget: () => unknown) {
  const all = () => (users.size > 0 ? Array.from(users, ({ current }) => current) : [options]);
  const ask = (): string | Promise<string> => {
    const token = all().at(-1)!.token!;
    return typeof token === 'function' ? token() : token;
  };
  const stub: object = connect<object>(url, {
    ...options,
    // Not while a component renders, which may come to nothing.
    eager: false,
    token: typeof options.token === 'function' ? ask : options.token,
    onStateChange: (...change) => all().forEach(({ onStateChange }) => void onStateChange?.(...change)),
    onError: (...error) => all().forEach(({ onError }) => void onError?.(...error)),
  });
  const session = nodeOf(stub)!.owner as ClientSession;
  const { link } = session;
  const end = () => {
    forget();
    session.close();
  };
  const users = new Users<LatestOptions>(() => session.isWaiting && !link.isFinal, end);
  return {
    stub,
    /** Returns true if a component may have it: a connection that a component has closed stays closed for those who use it, and for no others. */
    isUsable: () => users.size > 0 || !link.isFinal,
    retain(user: LatestOptions): () => void {
      const release = users.retain(user);
      if (user.current.eager && link.state === 'idle') link.connect();
      return release;
    },
  };
}
