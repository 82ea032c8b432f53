import { placeOf as placeOfStub, RpcError } from '@lumenize/rpc';

/** State that components show: of a connection, a call or a subscription. It is kept up to date while somebody subscribes to it. */
export interface Store<View> {
  /** Returns the state, the same object until it changes. */
  get(): View;
  /** State before anything has happened: on a server, and while a page hydrates. */
  readonly initial: View;
  /** Calls `changed` after every change, until the function that it returns is called. On a server it does nothing. */
  subscribe(changed: () => void): () => void;
}

/** Time that something is kept after it was used, in milliseconds: StrictMode unmounts for a moment, and pages follow one another. */
const UNUSED_MS = 1000;
/**
 * Time that it is kept before it was used, in milliseconds: a component that suspends is not mounted, and asks for the same when it
 * renders again. So longer than what it may wait for next takes, or it would begin anew for ever.
 */
const UNMOUNTED_MS = 60_000;

/** The users of something that components share, from the first one that renders to the last one that is unmounted. */
export class Users<User> extends Set<User> {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #isBusy: () => boolean;
  readonly #end: () => void;

  /** While `isBusy`, something is under way that is to end first. `end` lets go of what is shared: nobody has used it for a while. */
  constructor(isBusy: () => boolean, end: () => void) {
    super();
    this.#isBusy = isBusy;
    this.#end = end;
    this.#waitForUsers(UNMOUNTED_MS);
  }

  /** Keeps what is shared until what is returned is called. A user is one object, for one component. */
  retain(user: User): () => void {
    clearTimeout(this.#timer!);
    this.add(user);
    return () => {
      this.delete(user);
      if (this.size === 0) this.#waitForUsers(UNUSED_MS);
    };
  }

  #waitForUsers(ms: number): void {
    clearTimeout(this.#timer!);
    // What takes long is looked at less and less often: it may never end.
    const look = () => (this.#isBusy() ? this.#waitForUsers(Math.min(2 * ms, UNMOUNTED_MS)) : this.#end());
    this.#timer = setTimeout(look, ms);
  }
}

/** Returns true if a page is being rendered elsewhere, to be sent to a browser: nothing connects there, and nothing is called. */
export function isOnServer(): boolean {
  return (globalThis as { window?: unknown }).window === undefined;
}

/** Makes the error of calls on a server. */
export function serverError(): RpcError {
  const message = 'a component does not call while it is rendered on a server: call in an effect or event, ';
  return new RpcError('NOT_EXECUTED', `${message}or give useCall() a value as \`initial\``);
}

/** Makes the store of what has one state on a server. */
export function constantStore<View>(initial: View): Store<View> {
  return { initial, get: () => initial, subscribe: () => () => {} };
}

/** Time until something is tried again, in milliseconds; up to twice as long. */
const RETRY_MS = 1000;

/**
 * Returns how long to wait before what failed is tried again, in milliseconds; undefined where that would not help. There was no
 * connection for too long, or too much to do: it is not over for that.
 */
export function retryDelayMs(error: unknown): number | undefined {
  if (!(error instanceof RpcError && error.retryable)) return undefined;
  const { retryAfterMs } = (error.data ?? {}) as { retryAfterMs?: unknown };
  const atLeast = typeof retryAfterMs === 'number' ? retryAfterMs : 0;
  return Math.max(atLeast, RETRY_MS) + RETRY_MS * Math.random();
}

/** Values that a call or subscription depends on, beside its stub: components that use the same key share it. */
export type Key = string | number | readonly (string | number | boolean | null | undefined)[];

/**
 * Returns what a call or subscription belongs to, and its name there, so that both can be compared: stubs that differ in their options
 * only, which are made anew with every rendering, are the same.
 * @throws {TypeError} if the value is no stub
 */
export function placeOf(stub: object, key: Key): [owner: object, name: string] {
  const { start, path } = placeOfStub(stub);
  return [start, JSON.stringify([key, path])];
}
