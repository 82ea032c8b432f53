import { constantStore, isOnServer, type Key, placeOf, retryDelayMs, type Store, serverError, Users } from './store.ts';

/** A call and its outcome, as a component shows it. */
export interface CallView<Value, Shown = Value | undefined> {
  /** Result of the last call that succeeded; before that `initial`, or undefined. */
  readonly value: Shown;
  /** Error of the last call, if it failed. If the error is `retryable`, the call is made again by itself. */
  readonly error: unknown;
  /** True while the call waits for its answer. */
  readonly isPending: boolean;
  /** For React's `use`: suspends until there is a value, and throws if there will be none. It stays the same until the value changes. */
  readonly promise: Promise<Value>;
  /** Makes the call again and resolves with its result. Until then the value stays. */
  reload(): Promise<Value>;
}

/** Options for showing the result of a call. */
export interface UseCallOptions<Value> {
  /** Value until the call has returned one: for example the one that the server rendered the page with. */
  readonly initial?: Value | undefined;
}

/** The state of a call. */
export interface CallStore<View> extends Store<View> {
  /** Replaces how the call is made, the next time: it may be another function with each rendering. */
  replace(call: () => unknown): void;
}

/**
 * Makes the store of a call, which is made when somebody subscribes. Stores of the same stub and key share one call and its value.
 * @throws {TypeError} if the value is no stub
 */
export function callStore<Target extends object, Result, Initial extends Awaited<Result> | undefined = undefined>(
  stub: Target,
  key: Key,
  call: (stub: Target) => Result,
  options: UseCallOptions<Initial> = {},
): CallStore<CallView<Awaited<Result>, Awaited<Result> | Initial>> {
  const store = isOnServer()
    ? { ...constantStore(serverView(options)), replace() {} }
    : storeOf(placeOf(stub, key), () => call(stub), options);
  return store as CallStore<CallView<Awaited<Result>, Awaited<Result> | Initial>>;
}

function storeOf(
  [owner, name]: [object, string],
  first: () => unknown,
  options: UseCallOptions<unknown>,
): CallStore<CallView<unknown>> {
  let make = first;
  // It is looked up each time: what was forgotten meanwhile is made again.
  const get = (): SharedCall<unknown> => sharedCall(owner, name, make, options);
  return {
    get: () => get().view,
    get initial() {
      return get().unloaded;
    },
    subscribe: (changed) => get().retain(changed),
    replace(call) {
      make = call;
      get().make = call;
    },
  };
}

/** A promise as React knows it: one with its outcome on it does not suspend. */
type Settled<Value> = Promise<Value> & { status?: string; value?: Value; reason?: unknown };

/** Returns what a component has on a server, where nothing is called. */
function serverView<Value>({ initial }: UseCallOptions<Value>): CallView<Value> {
  const refuse = () => {
    const refused = Promise.reject<Value>(serverError());
    refused.catch(() => {}); // whoever uses it is told
    return refused;
  };
  const state = { value: initial, error: undefined, isPending: true, reload: refuse };
  return createView(state, () => (initial === undefined ? refuse() : fulfilled(Promise.resolve(initial), initial)));
}

/** Makes the view that a component has; `ask` begins the call where that has not begun. */
function createView<Value>(
  state: Pick<CallView<Value>, 'value' | 'error' | 'isPending' | 'reload'>,
  ask: () => Promise<Value>,
): CallView<Value> {
  // Not enumerable: tools that look at all properties would begin the call.
  return Object.defineProperty({ ...state }, 'promise', { get: ask }) as CallView<Value>;
}

/** Marks a promise as fulfilled, for React. */
function fulfilled<Value>(promise: Settled<Value>, value: Value): Settled<Value> {
  return Object.assign(promise, { status: 'fulfilled', value });
}

type MakeCall<Value> = () => Value | PromiseLike<Value>;
type SharedCall<Value> = ReturnType<typeof prepareCall<Value>>;

// biome-ignore lint/suspicious/noExplicitAny: calls of any values
const calls = new WeakMap<object, Map<string, SharedCall<any>>>();

/** Returns the call that components share, by what it belongs to and its name there. */
export function sharedCall<Value>(
  owner: object,
  name: string,
  make: MakeCall<Value>,
  start: UseCallOptions<Value>,
): SharedCall<Value> {
  const known = calls.get(owner) ?? new Map<string, SharedCall<Value>>();
  calls.set(owner, known);
  const call: SharedCall<Value> =
    known.get(name) ?? prepareCall(make, start, () => known.get(name) === call && known.delete(name));
  known.set(name, call);
  return call;
}

/** Prepares a call of a page for the components that show it: it is made when the first is mounted, or asks for the promise. */
function prepareCall<Value>(make: MakeCall<Value>, { initial }: UseCallOptions<Value>, forget: () => unknown) {
  /** The newest one; what others return is of no interest. */
  let loading: Settled<Value> | undefined;
  let promise: Settled<Value> | undefined;
  if (initial !== undefined) promise = fulfilled<Value>(Promise.resolve(initial), initial);
  /** Until the call is made again that has failed. */
  let retry: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(retry!);
    forget();
  };
  const users = new Users<() => void>(() => loading !== undefined && shared.view.isPending, end);
  const show = (change: Partial<CallView<Value>>) => {
    shared.view = createView({ ...shared.view, ...change }, ask);
    for (const changed of users) changed();
  };
  /** Makes the call, now: calls of components that are mounted together travel together. */
  const load = (): Promise<Value> => {
    const made: Settled<Value> = new Promise((resolve) => resolve(shared.make()));
    loading = made;
    clearTimeout(retry!);
    // A value stays until there is a newer one.
    if (promise?.status !== 'fulfilled') promise = made;
    made.then(
      (value) => {
        fulfilled(made, value);
        if (loading !== made) return;
        promise = made;
        show({ value, error: undefined, isPending: false });
      },
      (reason) => {
        Object.assign(made, { status: 'rejected', reason });
        if (loading !== made) return;
        const delayMs = retryDelayMs(reason);
        if (delayMs !== undefined) retry = setTimeout(again, delayMs);
        show({ error: reason, isPending: false });
      },
    );
    return made;
  };
  /** Makes the call again; where no component shows it, when one does. */
  const again = () => {
    loading = undefined;
    if (users.size > 0) load();
  };
  /** Returns the promise. A component that suspends is never mounted: so asking begins. */
  const ask = (): Promise<Value> => {
    if (promise === undefined) load();
    const asked = promise!;
    // What throws is not mounted either: when its error boundary tries again, the call is made again. Later, for React itself
    // tries twice.
    if (asked.status === 'rejected' && users.size === 0) setTimeout(() => users.size === 0 && end());
    return asked;
  };
  const reload = () => {
    const made = load();
    show({ isPending: true });
    return made;
  };
  const unloaded = createView({ value: initial, error: undefined, isPending: true, reload }, ask);
  const shared = {
    /** Makes the call, the next time that it is made. */
    make,
    view: unloaded,
    /** The view before anything was called. */
    unloaded,
    retain(changed: () => void): () => void {
      const release = users.retain(changed);
      if (loading === undefined) load();
      return release;
    },
  };
  return shared;
}
