import { Timer } from '../session/timer.ts';

/** How long something is kept after it was used, in milliseconds: StrictMode unmounts for a moment, and pages follow one another. */
const UNUSED_MS = 1000;
/**
 * How long it is kept before it was used, in milliseconds: a component that suspends is not mounted, and asks for the same when it
 * renders again. So longer than what it may wait for next takes, or it would begin anew for ever.
 */
const UNMOUNTED_MS = 60_000;

/** Something that components share, from the first one that renders to the last one that is unmounted. */
export abstract class Shared<User> {
  readonly #users = new Set<User>();
  readonly #timer = new Timer();

  constructor() {
    this.#waitForUsers(UNMOUNTED_MS);
  }

  get users(): ReadonlySet<User> {
    return this.#users;
  }

  /** Keeps it until what is returned is called. A user is one object, for one component. */
  retain(user: User): () => void {
    this.#timer.stop();
    this.#users.add(user);
    return () => {
      this.#users.delete(user);
      if (this.#users.size === 0) this.#waitForUsers(UNUSED_MS);
    };
  }

  /** Whether something is under way that is to end first. */
  protected abstract readonly isBusy: boolean;

  /** Lets go of it: nobody has used it for a while. */
  protected abstract end(): void;

  #waitForUsers(ms: number): void {
    // What takes long is looked at less and less often: it may never end.
    this.#timer.set(ms, () => (this.isBusy ? this.#waitForUsers(Math.min(2 * ms, UNMOUNTED_MS)) : this.end()));
  }
}
