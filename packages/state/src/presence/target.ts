import { type Caller, RpcTarget, type Subscription } from '@lumenize/rpc/server';
import type { Presence } from './presence.ts';
import type { Changes, Joined } from './wire.ts';

/** What clients call to be present. `presenceStore` of `@lumenize/state/presence` does. */
export class PresenceTarget<Fields extends object> extends RpcTarget {
  /** Options of the methods: but for `set`, each can run again. What that has lost, a member tells anew. */
  static readonly rpc = {
    follow: { idempotent: true },
    join: { idempotent: true },
    check: { idempotent: true },
    leave: { idempotent: true },
  };
  readonly #presence: Presence<Fields>;
  readonly #caller: Caller;

  /** @internal */
  constructor(presence: Presence<Fields>, caller: Caller) {
    super();
    this.#presence = presence;
    this.#caller = caller;
  }

  /** Returns the changes from now on. */
  follow(): Subscription<Changes> {
    return this.#presence.topic.subscribe();
  }

  /** Makes the caller a member that shows these fields and no others, and returns who is there. */
  join(fields: Partial<Fields>): Joined {
    return this.#presence.join(this.#caller, fields);
  }

  /** Changes some fields of the caller. The answer waits for those of later calls, so that they leave together. */
  set(fields: Partial<Fields>): Promise<void> {
    return this.#presence.set(this.#caller, fields);
  }

  /** Looks for members that have vanished. */
  check(): void {
    this.#presence.check();
  }

  /** Ends the caller's membership. */
  leave(): void {
    this.#presence.leave(this.#caller);
  }
}
