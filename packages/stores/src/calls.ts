import { constantStore, isOnServer, type Key, placeOf, retryDelayMs, type Store, serverError, Users } from './store.ts';

/** The state of a call and its result, for a component to show. */
export interface CallView<Value, Shown = Value | undefined> {
  /** The result of the last call that succeeded. Before that it is `initial`, or undefined. */
  readonly value: Shown;
  /** The error of the last call, if it failed. If the error is `retryable`, the call is repeated automatically. */
  readonly error: unknown;
  /** True while the call waits for its result. */
  readonly isPending: boolean;
  /**
   * A promise for React's `use`. It suspends the component until there is a value, and throws if there will be none. It
   * stays the same until the value changes.
   */
  readonly promise: Promise<Value>;
  /** Repeats the call and resolves with its result. The value stays until then. */
  reload(): Promise<Value>;
}

/** Options for showing the result of a call. */
export interface UseCallOptions<Value> {
  /** The value until the call has returned one. For example, the value with which the server rendered the page. */
  readonly initial?: Value | undefined;
}

/** The store of the state of a call. */
export interface CallStore<View> extends Store<View> {
  /**
   * Replaces the function that makes the call. The next call uses it: components may create a new function with each
   * rendering.
   */
  replace(call: () => unknown): void;
}

/**
 * Creates the store of a call. The call is made when the store is subscribed to. Stores of the same stub and key share
 * one call and its value.
 * @throws {TypeError} if the value is not a stub
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
  let initial: CallView<unknown> | undefined;
  // Looked up each time, because a call that was forgotten in the meantime is repeated.
  const get = (): SharedCall<unknown> => sharedCall(owner, name, make, options);
  return {
    get: () => get().view,
    get initial() {
      // That of its own, whatever another component has loaded meanwhile. The same object each time, as React asks for.
      initial ??= get().viewBefore(options.initial);
      return initial;
    },
    subscribe: (changed) => get().retain(changed, () => make()),
    replace(call) {
      make = call;
    },
  };
}

/** A promise with the fields that React reads. If the outcome is there, React does not suspend. */
type Settled<Value> = Promise<Value> & { status?: string; value?: Value; reason?: unknown };

/** Returns the view of a component on a server, where no calls are made. */
function serverView<Value>({ initial }: UseCallOptions<Value>): CallView<Value> {
  const refuse = () => {
    const refused = Promise.reject<Value>(serverError());
    refused.catch(() => {}); // the code that uses it sees the rejection
    return refused;
  };
  const state = { value: initial, error: undefined, isPending: true, reload: refuse };
  return createView(state, () => (initial === undefined ? refuse() : fulfilled(Promise.resolve(initial), initial)));
}

/** Creates the view of a component. `ask` makes the call if it has not been made yet. */
function createView<Value>(
  state: Pick<CallView<Value>, 'value' | 'error' | 'isPending' | 'reload'>,
  ask: () => Promise<Value>,
): CallView<Value> {
  // Not enumerable, because tools that read all properties would make the call.
  return Object.defineProperty({ ...state }, 'promise', { get: ask }) as CallView<Value>;
}

/** Marks a promise as fulfilled, for React. */
function fulfilled<Value>(promise: Settled<Value>, value: Value): Settled<Value> {
  return Object.assign(promise, { status: 'fulfilled', value });
}

type MakeCall<Value> = () => Value | PromiseLike<Value>;
type SharedCall<Value> = ReturnType<typeof prepareCall<Value>>;

/** A component that shows a call. */
interface CallUser<Value> {
  changed(): void;
  make: MakeCall<Value>;
}

// biome-ignore lint/suspicious/noExplicitAny: calls of any values
const calls = new WeakMap<object, Map<string, SharedCall<any>>>();

/** Returns the call that components share, by its owner and its name there. */
export function sharedCall<Value>(
  owner: object,
  name: string,
  make: MakeCall<Value>,
  start: UseCallOptions<Value>,
): SharedCall<Value> {
  const known = calls.get(owner) ?? new Map<string, SharedCall<Value>>();
  calls.set(owner, known);
  const call: SharedCall<Value> =
    known.get(name) ?? prepareCall(make, () => known.get(name) === call && known.delete(name));
  known.set(name, call);
  if (start.initial !== undefined) call.begin(start.initial);
  return call;
}

/**
 * Prepares a call for the components that show it. It is made when the first is mounted or asks for the promise. `first`
 * makes it while no component is mounted.
 */
function prepareCall<Value>(first: MakeCall<Value>, forget: () => unknown) {
  /** The newest call. The results of older calls are ignored. */
  let loading: Settled<Value> | undefined;
  let promise: Settled<Value> | undefined;
  /** The timer after which a failed call is repeated. */
  let retry: ReturnType<typeof setTimeout> | undefined;
  const end = () => {
    clearTimeout(retry!);
    forget();
  };
  const users = new Users<CallUser<Value>>(() => loading !== undefined && shared.view.isPending, end);
  const show = (change: Partial<CallView<Value>>) => {
    shared.view = createView({ ...shared.view, ...change }, ask);
    for (const { changed } of users) changed();
  };
  /** Makes the call at once, so that calls of components that are mounted together travel together. */
  const load = (): Promise<Value> => {
    // By a component that shows it: one that is gone may make the call of another key by now.
    const { make } = [...users].at(-1) ?? { make: first };
    const made: Settled<Value> = new Promise((resolve) => resolve(make()));
    loading = made;
    clearTimeout(retry!);
    // A value stays until there is a newer one.
    if (promise?.status !== 'fulfilled') promise = made;
    if (!shared.view.isPending) show({ isPending: true });
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
  /** Repeats the call: at once if a component shows it, and otherwise when one does. */
  const again = () => {
    loading = undefined;
    if (users.size > 0) load();
  };
  /**
   * Returns the promise, and makes the call if needed. A component that suspends is never mounted, so asking is the
   * only signal.
   */
  const ask = (): Promise<Value> => {
    if (promise === undefined) load();
    const asked = promise!;
    // A component that throws is not mounted either. The failed call is forgotten, so that it is repeated when the
    // error boundary tries again. This happens later, because React itself tries twice.
    if (asked.status === 'rejected' && users.size === 0) setTimeout(() => users.size === 0 && end());
    return asked;
  };
  /** Creates the view before the call was made, with an initial value. */
  const viewBefore = (value: Value | undefined) =>
    createView<Value>({ value, error: undefined, isPending: true, reload: load }, ask);
  const shared = {
    view: viewBefore(undefined),
    viewBefore,
    /** Shows an initial value, if there is no value yet. */
    begin(initial: Value): void {
      if (promise?.status === 'fulfilled') return;
      promise = fulfilled<Value>(Promise.resolve(initial), initial);
      shared.view = createView({ ...shared.view, value: initial }, ask);
    },
    retain(changed: () => void, make = first): () => void {
      const release = users.retain({ changed, make });
      if (loading === undefined) load();
      return release;
    },
  };
  return shared;
}
