import { Timer } from '../session/timer.ts';
import { type CallView, fulfilled, type Initial, type Settled, View } from './call-view.ts';
import { retryDelayMs, Shared } from './shared.ts';

/** How a call is made. */
export type MakeCall<Value> = () => Value | PromiseLike<Value>;

const calls = new WeakMap<object, Map<string, SharedCall<unknown>>>();

/** Returns the call that components share, by what it belongs to and its name there. */
export function sharedCall<Value>(
  owner: object,
  name: string,
  make: MakeCall<Value>,
  start: Initial<Value>,
): SharedCall<Value> {
  const known = calls.get(owner) ?? new Map<string, SharedCall<unknown>>();
  calls.set(owner, known);
  let call = known.get(name) as SharedCall<Value> | undefined;
  if (call === undefined) {
    const made: SharedCall<Value> = new SharedCall<Value>(
      make,
      start,
      () => known.get(name) === made && known.delete(name),
    );
    known.set(name, made as SharedCall<unknown>);
    call = made;
  }
  return call;
}

/** A call of a page, its value, and the components that show it. It is made when the first is mounted, or asks for the promise. */
export class SharedCall<Value> extends Shared<() => void> {
  /** How it is made the next time. */
  make: MakeCall<Value>;
  /** Shown before anything was called. */
  readonly unloaded: CallView<Value>;
  #view: CallView<Value>;
  /** The newest one; what others return is of no interest. */
  #loading: Settled<Value> | undefined;
  #promise: Settled<Value> | undefined;
  readonly #forget: () => unknown;
  /** Until the call is made again that has failed. */
  readonly #retry = new Timer();

  constructor(make: MakeCall<Value>, { initial }: Initial<Value>, forget: () => unknown) {
    super();
    this.make = make;
    this.#forget = forget;
    if (initial !== undefined) this.#promise = fulfilled(Promise.resolve(initial), initial);
    this.unloaded = this.#view = this.#show(initial, undefined, true);
  }

  get view(): CallView<Value> {
    return this.#view;
  }

  override retain(changed: () => void): () => void {
    const release = super.retain(changed);
    if (this.#loading === undefined) this.#load();
    return release;
  }

  protected override get isBusy(): boolean {
    return this.#loading !== undefined && this.#view.isPending;
  }

  protected override end(): void {
    this.#retry.stop();
    this.#forget();
  }

  readonly #reload = (): Promise<Value> => {
    const loading = this.#load();
    this.#change(this.#show(this.#view.value, this.#view.error, true));
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
        this.#change(this.#show(value, undefined, false));
      },
      (reason) => {
        Object.assign(loading, { status: 'rejected', reason });
        if (this.#loading !== loading) return;
        const delayMs = retryDelayMs(reason);
        if (delayMs !== undefined) this.#retry.set(delayMs, () => this.#again());
        this.#change(this.#show(this.#view.value, reason, false));
      },
    );
    return loading;
  }

  /** Makes the call again; where no component shows it, when one does. */
  #again(): void {
    this.#loading = undefined;
    if (this.users.size > 0) this.#load();
  }

  #show(value: Value | undefined, error: unknown, isPending: boolean): CallView<Value> {
    return new View(value, error, isPending, this.#reload, () => this.#ask());
  }

  /** A component that suspends is never mounted: so asking begins. */
  #ask(): Promise<Value> {
    if (this.#promise === undefined) this.#load();
    const promise = this.#promise!;
    // What throws is not mounted either: when its error boundary tries again, the call is made again. Later, for React itself
    // tries twice.
    if (promise.status === 'rejected' && this.users.size === 0) setTimeout(() => this.users.size === 0 && this.end());
    return promise;
  }

  #change(view: CallView<Value>): void {
    this.#view = view;
    for (const changed of this.users) changed();
  }
}
