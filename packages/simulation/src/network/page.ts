import { currentRealm, type Realm } from '../scheduler/realm.ts';

type Listener = (event: { readonly type: string }) => void;

/** The page that a client's code runs in: it is told when the network comes and goes, and when somebody looks at it. */
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

  /** Counts the listeners. */
  get listeners(): number {
    return [...this.#listeners.values()].reduce((sum, { size }) => sum + size, 0);
  }

  /** Tells listeners of an event. */
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

/** The pages of clients, by their realms; other clients are programs in Node. */
export const pages = new WeakMap<Realm, Page>();

/** The page that the running code is in. */
export function currentPage(): Page | undefined {
  const realm = currentRealm();
  return realm && pages.get(realm);
}
