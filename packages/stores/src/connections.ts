import {
  type ConnectionState,
  type ConnectOptions,
  connect,
  connection,
  connectOver,
  type OpenTransport,
  type RpcError,
  type Stub,
} from '@lumenize/rpc';
import { constantStore, isOnServer, type Store, serverError, Users } from './store.ts';

/** `URL`, also for projects that do not declare it. */
type URL = Exclude<Parameters<typeof connect>[0], string>;

/** A store of a stub that components share. */
export interface StubStore<Api extends object> extends Store<Stub<Api>> {
  /** The options of the component. Functions among them may change with each rendering. */
  options: ConnectOptions;
}

/**
 * Creates the store of a stub for the target behind a URL. Stores of the same URL and options share one connection. It
 * connects with the first call, and closes when no store is subscribed to and its calls have settled. On a server
 * nothing connects, and calls reject.
 * @throws {TypeError} in a page, if the URL is invalid
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as that of connect() does
export function stubStore<Api extends object = any>(url: string | URL, options: ConnectOptions = {}): StubStore<Api> {
  if (isOnServer()) return { ...constantStore(connectOver<Api>(refuse, String(url))), options };
  const key = connectionKey(url, options);
  // Looked up each time, because a connection that was closed in the meantime is created again.
  const shared = () => sharedConnection(key, url, store.options);
  let wasMounted = false;
  const store: StubStore<Api> = {
    options,
    get() {
      const { stub, awaitUsers } = shared();
      // A component that was mounted and is hidden may go on rendering.
      if (!wasMounted) awaitUsers();
      return stub as Stub<Api>;
    },
    get initial() {
      return store.get();
    },
    subscribe() {
      wasMounted = true;
      return shared().retain(store);
    },
  };
  return store;
}

/** The transport of stubs on a server. It never connects, and calls reject. */
const refuse: OpenTransport = (events) => {
  const { code, message } = serverError();
  setTimeout(() => events.closed(CLOSE_NORMAL, `${code}: ${message}`));
  return { send() {}, close() {} };
};
const CLOSE_NORMAL = 1000;

/** The state of a connection, for a component to show. */
export interface ConnectionStatus {
  /** The state: whether there is a connection, and whether there will be one. */
  readonly state: ConnectionState;
  /** The reason why there is no connection; undefined while there is one, and before the first attempt. */
  readonly reason: RpcError | undefined;
}

const IDLE: ConnectionStatus = { state: 'idle', reason: undefined };

/**
 * Creates the store of the state of the connection behind a stub. On a server, and while a page hydrates, the state is
 * `idle`.
 * @throws {TypeError} if the value is not a stub
 */
export function stateStore(stub: object): Store<ConnectionStatus> {
  const its = connection(stub);
  if (isOnServer()) return constantStore(IDLE);
  let status = IDLE;
  return {
    initial: IDLE,
    get() {
      const { state, reason } = its;
      if (state !== status.state || reason !== status.reason) status = { state, reason };
      return status;
    },
    subscribe: (changed) => its.onStateChange(changed),
  };
}

/** The options of a component in its last rendering. */
interface LatestOptions {
  options: ConnectOptions;
}

type SharedConnection = ReturnType<typeof makeConnection>;

/** The connections of a page, by `connectionKey`. */
const connections = new Map<string, SharedConnection>();

/** Returns the connection that is shared by components with the same key. It connects with the first call. */
export function sharedConnection(key: string, url: string | URL, options: ConnectOptions): SharedConnection {
  const known = connections.get(key);
  if (known?.isUsable()) return known;
  const made = makeConnection(url, options, () => connections.get(key) === made && connections.delete(key));
  connections.set(key, made);
  return made;
}

/** Returns the key under which connections are shared: the URL and the options. */
export function connectionKey(url: string | URL, options: ConnectOptions): string {
  const { document, location } = globalThis as { document?: { baseURI?: string }; location?: { href: string } };
  const base = document?.baseURI ?? location?.href;
  // `connect` throws an error that explains what is wrong with the URL.
  if (!URL.canParse(url, base)) connect(url);
  return new URL(url, base).href.replace(/^http/, 'ws').replace(/#.*/, '') + optionsKey(options);
}

/**
 * Returns the options that are data, as text for comparing. Functions are left out, because most are created anew with
 * each rendering. But the text tells a `token` function from no token.
 */
export function optionsKey({ eager, wrapTransport, observe, token, ...others }: ConnectOptions): string {
  const data = Object.entries(others).filter(([, value]) => value !== undefined && typeof value !== 'function');
  return JSON.stringify([typeof token === 'function' ? true : token, data.sort()]);
}

/** Creates a connection for the components that use it. `options` are those of the component that rendered first. */
function makeConnection(url: string | URL, options: ConnectOptions, forget: () => unknown) {
  const all = () => (users.size > 0 ? Array.from(users, ({ options }) => options) : [options]);
  const ask = () => {
    const { token } = all().at(-1)!;
    return typeof token === 'function' ? token() : token;
  };
  const stub: object = connect<object>(url, {
    ...options,
    // Does not connect while a component renders, because that rendering may be discarded.
    eager: false,
    token: typeof options.token === 'function' ? ask : options.token,
    // Called below, for all components. Without one, a first attempt that fails is logged.
    onStateChange: options.onStateChange && (() => {}),
    onError: (...error) => all().forEach(({ onError }) => void onError?.(...error)),
  });
  const its = connection(stub);
  its.onStateChange((...change) => all().forEach(({ onStateChange }) => void onStateChange?.(...change)));
  const end = () => {
    forget();
    its.close();
  };
  const users = new Users<LatestOptions>(() => its.statistics.callsInFlight > 0, end);
  return {
    stub,
    /**
     * Returns true if a component may use the connection. If a component closes it, it stays closed for the components
     * that use it, but not for new ones.
     */
    isUsable: () => users.size > 0 || its.state !== 'closed',
    /** Keeps the connection for a component that renders with it and may be mounted much later. */
    awaitUsers: () => users.await(),
    retain(user: LatestOptions): () => void {
      const release = users.retain(user);
      if (user.options.eager && its.state === 'idle') its.open();
      return release;
    },
  };
}
