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
import {
  getCurrentInstance,
  getCurrentScope,
  type MaybeRefOrGetter,
  onMounted,
  type ShallowRef,
  shallowRef,
  toValue,
  watch,
} from 'vue';

/**
 * Returns a stub for the target behind a URL. Components that ask for the same URL and options share the stub. It
 * connects with the first call, and closes when the last of these components is unmounted and its calls have settled.
 * On a server nothing connects, and calls reject.
 * @throws {TypeError} in a page, if the URL is invalid
 */
// biome-ignore lint/suspicious/noExplicitAny: without a type the stub takes any call, as that of connect() does
export function useRpc<Api extends object = any>(url: string | URL, options: ConnectOptions = {}): Stub<Api> {
  return useStore(() => stubStore<Api>(url, options)).value;
}

/**
 * Returns the state of the connection behind a stub. On a server, and while a page hydrates, it is `idle`.
 * @throws {TypeError} if the value is not a stub
 */
export function useConnectionState(stub: object): Readonly<ShallowRef<ConnectionStatus>> {
  return useStore(() => stateStore(stub));
}

/**
 * Makes a call when the component is mounted, and again when the key changes, and returns the state of the call.
 * Components that use the same key for the same stub share one call and its value. Put everything that `call` depends
 * on into the key.
 */
export function useCall<Target extends object, Result, Initial extends Awaited<Result> | undefined = undefined>(
  stub: Target,
  key: MaybeRefOrGetter<Key>,
  call: (stub: Target) => Result,
  options: UseCallOptions<Initial> = {},
): Readonly<ShallowRef<CallView<Awaited<Result>, Awaited<Result> | Initial>>> {
  return useStore(() => callStore(stub, toValue(key), call, options), key);
}

/**
 * Subscribes when the component is mounted, reads events until it is unmounted, and returns the newest. `subscribe`
 * receives the position behind the last event that is known; undefined at first. If the key changes, the subscription starts
 * over.
 */
export function useSubscription<Target extends object, Event>(
  stub: Target,
  key: MaybeRefOrGetter<Key>,
  subscribe: (stub: Target, since: Position | undefined) => PromiseLike<Subscription<Event>>,
  options: UseSubscriptionOptions<Event> = {},
): Readonly<ShallowRef<SubscriptionView<Event>>> {
  return useStore(() => subscriptionStore((since) => subscribe(stub, since), options), key);
}

/** Shows the state of a store. A new key creates a new store. */
function useStore<View>(make: () => Store<View>, key: MaybeRefOrGetter<Key> = ''): ShallowRef<View> {
  const view = shallowRef(make().initial);
  const start = () => {
    watch(
      () => keyText(toValue(key)),
      (_key, _before, onCleanup) => {
        // Created here the first time too, because the key may have changed before the component was mounted.
        const store = make();
        const show = () => {
          view.value = store.get();
        };
        onCleanup(store.subscribe(show));
        show();
      },
      { immediate: true },
    );
  };
  // That of the component, or one that lasts longer, such as that of a store of Pinia.
  const scope = getCurrentScope();
  // A page that hydrates must first show the state that the server rendered.
  if (getCurrentInstance()) onMounted(() => scope?.run(start));
  else start();
  return view;
}
