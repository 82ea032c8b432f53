import { placeOf as placeOfStub, RpcError } from '@lumenize/rpc';

/**
 * The state of a connection, a call or a subscription, for components to show. It is kept up to date while the store is
 * subscribed to.
 */
export interface Store<View> {
  /** Returns the state. It is the same object until the state changes. */
  get(): View;
  /** The state before anything has happened: on a server, and while a page hydrates. */
  readonly initial: View;
  /** Calls `changed` after every change, until the returned function is called. On a server it does nothing. */
  subscribe(changed: () => void): () => void;
}

/**
 * How long something is kept after its last use, in milliseconds. StrictMode unmounts components for a moment, and one
 * page follows another.
 */
const UNUSED_MS = 1000;
/**
 * How long something is kept before its first use, in milliseconds. A component that suspends is not mounted, and asks
 * for the same thing when it renders again. If this were shorter than its next wait, it would start over forever.
 */
const UNMOUNTED_MS = 60_000;

/**
 * The users of something that components share, from the first component that renders to the last that is unmounted.
 */
export class Users<User> extends Set<User> {
  #timer: ReturnType<typeof setTimeout> | undefined;
  readonly #isBusy: () => boolean;
  readonly #end: () => void;

  /**
   * Creates a set of users.
   * @param isBusy Returns true while something is under way that should end first.
   * @param end Called to release the shared thing when it has not been used for a while.
   */
  constructor(isBusy: () => boolean, end: () => void) {
    super();
    this.#isBusy = isBusy;
    this.#end = end;
    this.#waitForUsers(UNMOUNTED_MS);
  }

  /** Keeps the shared thing until the returned function is called. A user is one object for each component. */
  retain(user: User): () => void {
    clearTimeout(this.#timer!);
    this.add(user);
    return () => {
      this.delete(user);
      if (this.size === 0) this.#waitForUsers(UNUSED_MS);
    };
  }

  /** Keeps the shared thing for a component that renders with it and may be mounted much later. */
  await(): void {
    if (this.size === 0) this.#waitForUsers(UNMOUNTED_MS);
  }

  #waitForUsers(ms: number): void {
    clearTimeout(this.#timer!);
    // Checks less and less often while it is busy, because that may never end.
    const look = () => (this.#isBusy() ? this.#waitForUsers(Math.min(2 * ms, UNMOUNTED_MS)) : this.#end());
    this.#timer = setTimeout(look, ms);
    // A process, such as a test with a page of its own, need not wait for components that never come.
    (this.#timer as { unref?(): void }).unref?.();
  }
}

/** Returns true if a page is being rendered on a server. Nothing connects there, and no calls are made. */
export function isOnServer(): boolean {
  return (globalThis as { window?: unknown }).window === undefined;
}

/** Creates the error of calls on a server. */
export function serverError(): RpcError {
  const message = 'a component does not call while it is rendered on a server: call in an effect or event, ';
  return new RpcError('NOT_EXECUTED', `${message}or give useCall() a value as \`initial\``);
}

/** Creates a store whose state never changes, for a server. */
export function constantStore<View>(initial: View): Store<View> {
  return { initial, get: () => initial, subscribe: () => () => {} };
}

/** The time until a retry, in milliseconds. The actual time is up to twice as long. */
const RETRY_MS = 1000;

/**
 * Returns how long to wait before retrying, in milliseconds, or undefined if retrying would not help. Retryable errors
 * are temporary: there was no connection for too long, or the server had too much to do.
 */
export function retryDelayMs(error: unknown): number | undefined {
  if (!(error instanceof RpcError && error.retryable)) return undefined;
  const { retryAfterMs } = (error.data ?? {}) as { retryAfterMs?: unknown };
  const atLeast = typeof retryAfterMs === 'number' ? retryAfterMs : 0;
  return Math.max(atLeast, RETRY_MS) + RETRY_MS * Math.random();
}

/** The values that a call or subscription depends on, besides its stub. Components that use the same key share it. */
export type Key = string | number | readonly (string | number | boolean | null | undefined)[];

/** Returns a key as text, for comparing: a list is mostly a new object. */
export function keyText(key: Key): string {
  // JSON would write undefined, NaN and the infinities in a list as null, which is another value.
  return JSON.stringify(key, (_place, part) =>
    part === undefined || typeof part === 'number' ? { is: `${part}` } : part,
  );
}

/**
 * Returns the owner of a call or subscription and its name there, so that both can be compared. Stubs that differ only
 * in their options have the same place, because they are created anew with every rendering.
 * @throws {TypeError} if the value is not a stub
 */
export function placeOf(stub: object, key: Key): [owner: object, name: string] {
  const { start, path } = placeOfStub(stub);
  return [start, JSON.stringify([keyText(key), path])];
}
