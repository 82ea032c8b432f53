import type { ConnectOptions, Position, Stub, Subscription } from '@lumenize/rpc';
import {
  type CallView,
  type ConnectionStatus,
  callStore,
  type Key,
  optionsKey,
  placeOf,
  type Store,
  type SubscriptionView,
  stateStore,
  stubStore,
  subscriptionStore,
  type UseCallOptions,
  type UseSubscriptionOptions,
} from '@lumenize/stores';
import { useEffect, useMemo, useSyncExternalStore } from 'react';

/**
 * Returns a stub for the target behind a URL. Components that ask for the same URL and options share the stub. It
 * connects with the first call, and closes when the last of these components is unmounted and its calls have settled.
 * Functions among the options may change with each rendering: the newest are called, except for `observe` and
 * `wrapTransport`, which are those of the first rendering. On a server nothing connects, and calls reject.
 * @throws {TypeError} in a page, if the URL is invalid
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as that of connect() does
export function useRpc<Api extends object = any>(url: string | URL, options: ConnectOptions = {}): Stub<Api> {
  const store = useMemo(() => stubStore<Api>(url, options), [String(url), optionsKey(options)]);
  useEffect(() => {
    store.options = options;
  });
  // If the connection was closed between rendering and mounting, React renders again with the one that is retained.
  return useStore(store);
}

/**
 * Returns the state of the connection behind a stub, and renders the component again when it changes. On a server, and
 * while a page hydrates, it is `idle`.
 * @throws {TypeError} if the value is not a stub
 */
export function useConnectionState(stub: object): ConnectionStatus {
  return useStore(useMemo(() => stateStore(stub), [stub]));
}

/**
 * Makes a call when the component is mounted, and returns the state of the call. Components that use the same key for
 * the same stub share one call and its value. `call` may be another function in each rendering: put everything that it
 * depends on into the key. With `use(useCall(…).promise)` a component suspends, and errors go to its error boundary.
 */
export function useCall<Target extends object, Result, Initial extends Awaited<Result> | undefined = undefined>(
  stub: Target,
  key: Key,
  call: (stub: Target) => Result,
  options: UseCallOptions<Initial> = {},
): CallView<Awaited<Result>, Awaited<Result> | Initial> {
  const store = useMemo(() => callStore(stub, key, call, options), placeOf(stub, key));
  useEffect(() => store.replace(() => call(stub)));
  return useStore(store);
}

/**
 * Subscribes when the component is mounted, reads events until it is unmounted, and returns the newest. `subscribe`
 * receives the position behind the last event that is known; undefined at first. It may be another function in each
 * rendering: put everything that it depends on into the key. With another stub or key, the subscription starts over.
 */
export function useSubscription<Target extends object, Event>(
  stub: Target,
  key: Key,
  subscribe: (stub: Target, since: Position | undefined) => PromiseLike<Subscription<Event>>,
  options: UseSubscriptionOptions<Event> = {},
): SubscriptionView<Event> {
  const open = (since: Position | undefined) => subscribe(stub, since);
  const store = useMemo(() => subscriptionStore(open, options), placeOf(stub, key));
  useEffect(() => {
    store.open = open;
    store.options = options;
  });
  return useStore(store);
}

function useStore<View>(store: Store<View>): View {
  return useSyncExternalStore(store.subscribe, store.get, () => store.initial);
}
