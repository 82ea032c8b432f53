import { Timer } from '../session/timer.ts';
import { type CallView, createView, fulfilled, type Settled, type UseCallOptions } from './call-view.ts';
import { retryDelayMs, Shared } from './shared.ts';

/** Makes the call. */
export type MakeCall<Value> = () => Value | PromiseLike<Value>;

const calls = new WeakMap<object, Map<string, SharedCall<unknown>>>();

/** Returns the call that components share, by what it belongs to and its name there. */
export function sharedCall<Value>(
  owner: object,
  name: string,
  make: MakeCall<Value>,
  start: UseCallOptions<Value>,
): SharedCall<Value> {
  const known = calls.get(owner) ?? new Map<string, SharedCall<unknown>>();
  calls.set(owner, known);
  const call: SharedCall<Value> =
    (known.get(name) as SharedCall<Value> | undefined) ??
    new SharedCall<Value>(make, start, () => known.get(name) === call && known.delete(name));
  known.set(name, call as SharedCall<unknown>);
  return call;
}

/** A call of a page, its value, and the components that show it. It is made when the first is mounted, or asks for the promise. */
export class SharedCall<Value> extends Shared<() => void> {
  /** Makes the call, the next time that it is made. */
  make: MakeCall<Value>;
  view: CallView<Value>;
  /** Shown before anything was called. */
  readonly unloaded: CallView<Value>;
  /** The newest one; what others return is of no interest. */
  #loading: Settled<Value> | undefined;
  #promise: Settled<Value> | undefined;
  readonly #forget: () => unknown;
  /** Until the call is made again that has failed. */
  readonly #retry = new Timer();

  constructor(make: MakeCall<Value>, { initial }: UseCallOptions<Value>, forget: () => unknown) {
    super();
    this.make = make;
    this.#forget = forget;
    if (initial !== undefined) this.#promise = fulfilled(Promise.resolve(initial), initial);
    const state = { value: initial, error: undefined, isPending: true, reload: this.#reload };
    this.unloaded = this.view = createView(state, this.#ask);
  }

  override retain(changed: () => void): () => void {
    const release = super.retain(changed);
    if (this.#loading === undefined) this.#load();
    return release;
  }

  protected override get isBusy(): boolean {
    return this.#loading !== undefined && this.view.isPending;
  }

  protected override end(): void {
    this.#retry.stop();
    this.#forget();
  }

  readonly #reload = (): Promise<Value> => {
    const loading = this.#load();
    this.#show({ isPending: true });
    return loading;
  };

  /** Makes the call, now: calls of components that are mounted together travel together. */
  #load(): Promise<Value> {
    const loading: Settled<Value> = new Promise((resolve) => resolve(this.make()));
    this.#loading = loading;
    this.#retry.stop();
    // A value stays until there is a newer one.
    if (this.#promise?.status !== 'fulfilled') this.#promise = loading;
    loading.then(
      (value) => {
        fulfilled(loading, value);
        if (this.#loading !== loading) return;
        this.#promise = loading;
        this.#show({ value, error: undefined, isPending: false });
      },
      (reason) => {
        Object.assign(loading, { status: 'rejected', reason });
        if (this.#loading !== loading) return;
        const delayMs = retryDelayMs(reason);
        if (delayMs !== undefined) this.#retry.set(delayMs, () => this.#again());
        this.#show({ error: reason, isPending: false });
      },
    );
    return loading;
  }

  /** Makes the call again; where no component shows it, when one does. */
  #again(): void {
    this.#loading = undefined;
    if (this.users.size > 0) this.#load();
  }

  /** A component that suspends is never mounted: so asking begins. */
  readonly #ask = (): Promise<Value> => {
    if (this.#promise === undefined) this.#load();
    const promise = this.#promise!;
    // What throws is not mounted either: when its error boundary tries again, the call is made again. Later, for React itself
    // tries twice.
    if (promise.status === 'rejected' && this.users.size === 0) setTimeout(() => this.users.size === 0 && this.end());
    return promise;
  };

  #show(change: Partial<CallView<Value>>): void {
    this.view = createView({ ...this.view, ...change }, this.#ask);
    for (const changed of this.users) changed();
  }
}
