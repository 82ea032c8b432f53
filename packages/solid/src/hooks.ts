import type { ConnectOptions, Position, Stub, Subscription } from '@lumenize/rpc';
import {
  type CallView,
  type ConnectionStatus,
  callStore,
  type Key,
  keyText,
  type Store,
  type SubscriptionView,
  stateStore,
  stubStore,
  subscriptionStore,
  type UseCallOptions,
  type UseSubscriptionOptions,
} from '@lumenize/stores';
import { type Accessor, createEffect, createMemo, createSignal, onCleanup, untrack } from 'solid-js';

/**
 * Returns a stub for the target behind a URL. Components that ask for the same URL and options share the stub. It
 * connects with the first call, and closes when the last of these components is disposed of and its calls have settled.
 * On a server nothing connects, and calls reject.
 * @throws {TypeError} in a page, if the URL is invalid
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as that of connect() does
export function useRpc<Api extends object = any>(url: string | URL, options: ConnectOptions = {}): Stub<Api> {
  return untrack(useStore(() => stubStore<Api>(url, options)));
}

/**
 * Returns the state of the connection behind a stub. On a server, and while a page hydrates, it is `idle`.
 * @throws {TypeError} if the value is not a stub
 */
export function useConnectionState(stub: object): Accessor<ConnectionStatus> {
  return useStore(() => stateStore(stub));
}

/**
 * Makes a call when the component is mounted, and again when the key changes, and returns the state of the call.
 * Components that use the same key for the same stub share one call and its value. Put everything that `call` depends
 * on into the key.
 */
export function useCall<Target extends object, Result, Initial extends Awaited<Result> | undefined = undefined>(
  stub: Target,
  key: Key | Accessor<Key>,
  call: (stub: Target) => Result,
  options: UseCallOptions<Initial> = {},
): Accessor<CallView<Awaited<Result>, Awaited<Result> | Initial>> {
  return useStore((key) => callStore(stub, key, call, options), key);
}

/**
 * Subscribes when the component is mounted, reads events until it is disposed of, and returns the newest. `subscribe`
 * receives the position behind the last event that is known; undefined at first. If the key changes, the subscription starts
 * over.
 */
export function useSubscription<Target extends object, Event>(
  stub: Target,
  key: Key | Accessor<Key>,
  subscribe: (stub: Target, since: Position | undefined) => PromiseLike<Subscription<Event>>,
  options: UseSubscriptionOptions<Event> = {},
): Accessor<SubscriptionView<Event>> {
  return useStore(() => subscriptionStore((since) => subscribe(stub, since), options), key);
}

/** Shows the state of a store. A new key creates a new store. */
function useStore<View>(make: (key: Key) => Store<View>, key: Key | Accessor<Key> = ''): Accessor<View> {
  const current = createMemo(() => (typeof key === 'function' ? key() : key), undefined, {
    equals: (a, b) => keyText(a) === keyText(b),
  });
  const store = createMemo(() => {
    const key = current();
    return untrack(() => make(key));
  });
  const [view, setView] = createSignal(untrack(store).initial);
  // Effects run after rendering, and not on a server. A page that hydrates must first show the state that the server
  // rendered.
  createEffect(() => {
    const shown = store();
    const show = () => setView(() => shown.get());
    untrack(() => {
      onCleanup(shown.subscribe(show));
      show();
    });
  });
  return view;
}
