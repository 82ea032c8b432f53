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

/** A stub that components share. */
export interface StubStore<Api extends object> extends Store<Stub<Api>> {
  /** The options of the component, of which functions may be others with each rendering. */
  options: ConnectOptions;
}

/**
 * Makes the store of a stub for the target behind a URL: stores of the same URL and options share one connection. It connects with the
 * first call, and closes when nobody subscribes any more and its calls have settled. On a server nothing connects, and calls reject.
 * @throws {TypeError} in a page, if the URL is invalid
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as that of connect() does
export function stubStore<Api extends object = any>(url: string | URL, options: ConnectOptions = {}): StubStore<Api> {
  if (isOnServer()) return { ...constantStore(connectOver<Api>(refuse, String(url))), options };
  const key = connectionKey(url, options);
  // It is looked up each time: one that was closed meanwhile is made again.
  const get = () => sharedConnection(key, url, store.options);
  const store: StubStore<Api> = {
    options,
    get: () => get().stub as Stub<Api>,
    get initial() {
      return store.get();
    },
    subscribe: () => get().retain(store),
  };
  return store;
}

/** The transport of stubs on a server: it never connects, and calls reject. */
const refuse: OpenTransport = (events) => {
  const { code, message } = serverError();
  setTimeout(() => events.lost(CLOSE_NORMAL, `${code}: ${message}`));
  return { send() {}, close() {} };
};
const CLOSE_NORMAL = 1000;

/** The state of a connection, as a component shows it. */
export interface ConnectionStatus {
  /** The state: whether there is a connection, and whether there will be one. */
  readonly state: ConnectionState;
  /** Reason for having no connection: undefined while there is one, and before the first attempt. */
  readonly reason: RpcError | undefined;
}

const IDLE: ConnectionStatus = { state: 'idle', reason: undefined };

/**
 * Makes the store of the state of the connection behind a stub. On a server, and while a page hydrates, it is `idle`.
 * @throws {TypeError} if the value is no stub
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

/** The options of a component's last rendering. */
interface LatestOptions {
  options: ConnectOptions;
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

/** Returns what connections are compared by: the URL and the options. */
export function connectionKey(url: string | URL, options: ConnectOptions): string {
  const base = (globalThis as { location?: { href: string } }).location?.href;
  // It says what it needs.
  if (!URL.canParse(url, base)) connect(url);
  return new URL(url, base).href.replace(/^http/, 'ws').replace(/#.*/, '') + optionsKey(options);
}

/**
 * Returns what options are compared by: those that are data. Functions are not compared, since most are made anew whenever a component
 * renders; but a token that is asked for is another one than none.
 */
export function optionsKey({ eager, wrapTransport, observe, token, ...others }: ConnectOptions): string {
  const data = Object.entries(others).filter(([, value]) => value !== undefined && typeof value !== 'function');
  return JSON.stringify([typeof token === 'function' ? true : token, data.sort()]);
}

/** Makes a connection for the components that use it; `options` are those of the component that has rendered first. */
function makeConnection(url: string | URL, options: ConnectOptions, forget: () => unknown) {
  const all = () => (users.size > 0 ? Array.from(users, ({ options }) => options) : [options]);
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
  const its = connection(stub);
  const end = () => {
    forget();
    its.close();
  };
  const users = new Users<LatestOptions>(() => its.statistics.callsInFlight > 0, end);
  return {
    stub,
    /** Returns true if a component may have it: a connection that a component has closed stays closed for those who use it, and for no others. */
    isUsable: () => users.size > 0 || its.state !== 'closed',
    retain(user: LatestOptions): () => void {
      const release = users.retain(user);
      if (user.options.eager && its.state === 'idle') its.open();
      return release;
    },
  };
}
