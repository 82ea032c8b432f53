import type { ConnectOptions, Position, Stub, Subscription } from '@lumenize/rpc';
import {
  type CallView,
  type ConnectionStatus,
  callStore,
  type Key,
  type Store,
  type SubscriptionView,
  stateStore,
  stubStore,
  subscriptionStore,
  type UseCallOptions,
  type UseSubscriptionOptions,
} from '@lumenize/stores';
import { onMount } from 'svelte';
import { type Readable, readable } from 'svelte/store';

/**
 * Returns a stub for the target behind a URL. Components that ask for the same URL and options share the stub. It
 * connects with the first call, and closes when the last of these components is destroyed and its calls have settled.
 * On a server nothing connects, and calls reject.
 * @throws {TypeError} in a page, if the URL is invalid
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as that of connect() does
export function useRpc<Api extends object = any>(url: string | URL, options: ConnectOptions = {}): Stub<Api> {
  const store = stubStore<Api>(url, options);
  onMount(() => store.subscribe(() => {}));
  return store.get();
}

/**
 * Returns the state of the connection behind a stub, as a Svelte store. On a server it is `idle`.
 * @throws {TypeError} if the value is not a stub
 */
export function useConnectionState(stub: object): Readable<ConnectionStatus> {
  return storeOf(stateStore(stub));
}

/**
 * Returns a Svelte store that makes a call when it is first subscribed to, and holds the state of the call. Stores with
 * the same key and stub share one call and its value. Put everything that `call` depends on into the key.
 */
export function useCall<Target extends object, Result, Initial extends Awaited<Result> | undefined = undefined>(
  stub: Target,
  key: Key,
  call: (stub: Target) => Result,
  options: UseCallOptions<Initial> = {},
): Readable<CallView<Awaited<Result>, Awaited<Result> | Initial>> {
  return storeOf(callStore(stub, key, call, options));
}

/**
 * Returns a Svelte store that reads events while it is subscribed to, and holds the newest. `subscribe` receives the
 * position behind the last event that is known; undefined at first.
 */
export function useSubscription<Target extends object, Event>(
  stub: Target,
  subscribe: (stub: Target, since: Position | undefined) => PromiseLike<Subscription<Event>>,
  options: UseSubscriptionOptions<Event> = {},
): Readable<SubscriptionView<Event>> {
  return storeOf(subscriptionStore((since) => subscribe(stub, since), options));
}

/** Creates a Svelte store. */
function storeOf<View>(store: Store<View>): Readable<View> {
  return readable(store.initial, (set) => {
    const show = () => set(store.get());
    const end = store.subscribe(show);
    show();
    return end;
  });
}
