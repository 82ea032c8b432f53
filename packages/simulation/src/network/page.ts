import { currentRealm, type Realm } from '../scheduler/realm.ts';

type Listener = (event: { readonly type: string }) => void;

/** The page of a client's code. It is told when the network comes and goes, and when it becomes visible or hidden. */
export class Page {
  readonly #realm: Realm;
  readonly #listeners = new Map<string, Set<Listener>>();
  visibilityState: 'visible' | 'hidden' = 'visible';

  constructor(realm: Realm) {
    this.#realm = realm;
  }

  addEventListener(type: string, listener: Listener): void {
    const listeners = this.#listeners.get(type) ?? new Set();
    this.#listeners.set(type, listeners.add(listener));
  }

  removeEventListener(type: string, listener: Listener): void {
    this.#listeners.get(type)?.delete(listener);
  }

  /** The number of listeners. */
  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Calls the listeners of an event. */
  dispatch(type: string): void {
    this.#realm.note(type);
    for (const listener of [...(this.#listeners.get(type) ?? [])]) {
      try {
        this.#realm.run(() => listener({ type }));
      } catch (error) {
        this.#realm.scheduler.failed(this.#realm.name, error);
      }
    }
  }
}

/** The pages of clients, by their realms. Other clients are programs in Node. */
export const pages = new WeakMap<Realm, Page>();

/** Returns the page of the running code. */
export function currentPage(): Page | undefined {
  const realm = currentRealm();
  return realm && pages.get(realm);
}
