import { Session } from '../session/session.ts';

/** Time in milliseconds for which one waiting event keeps the object awake, so that later events need not wait too. */
const AWAKE_MS = 60_000;

/** A session that knows whether anything is going on, and keeps its object awake meanwhile. */
export abstract class BusySession extends Session {
  #busy = 0;
  /** Ends what `busy` has begun, once each. */
  #ends: Set<() => void> | undefined;
  #whenIdle: PromiseWithResolvers<void> | undefined;
  /** The time at which an event began to wait for this side to become idle. It is long ago if none waits. */
  #awaitedSince = -AWAKE_MS;

  override started(): void {
    this.#busy++;
  }

  override finished(): void {
    if (--this.#busy > 0) return;
    this.#whenIdle?.resolve();
    this.#whenIdle = undefined;
    this.#awaitedSince = -AWAKE_MS;
  }

  override busy(): () => void {
    this.#ends ??= new Set();
    const ends = this.#ends;
    const end = () => {
      if (ends.delete(end)) this.finished();
    };
    ends.add(end);
    this.started();
    return end;
  }

  /**
   * Called when the connection has ended: only calls that still run keep the object awake. A stream that nobody reads
   * would do so for ever.
   */
  protected closed(): void {
    for (const end of this.#ends ?? []) end();
  }

  /**
   * Resolves when no work is in progress; undefined if there is none. The object does not hibernate while an event
   * awaits it.
   */
  get idle(): Promise<void> | undefined {
    if (this.#busy === 0) return undefined;
    this.#whenIdle ??= Promise.withResolvers();
    return this.#whenIdle.promise;
  }

  /**
   * A promise that an event awaits, so that the object stays awake while work is in progress. It is undefined if
   * another event awaits it already: each waiting event takes three kilobytes, and a client can cause one with a
   * message of a few bytes.
   */
  get awake(): Promise<void> | undefined {
    const now = Date.now();
    if (this.#busy === 0 || now - this.#awaitedSince < AWAKE_MS) return undefined;
    this.#awaitedSince = now;
    return this.idle;
  }
}
