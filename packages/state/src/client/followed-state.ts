import { type Connection, connection, type Position, RpcError, type Subscription } from '@lumenize/rpc';
import type { StateEvent } from '../wire.ts';
import { type Arrived, isPage, isWithin } from './arrived.ts';
import { type AnyRecord, Ids } from './draft.ts';
import { type Expected, isRefused, unsavedOf } from './expected.ts';
import { type Layer, Layers } from './layers.ts';
import type { StateStatus, StateStore, Unsaved } from './store.ts';

/** How long the state of an object is held back for calls that may be in it, in milliseconds. */
const MAX_HOLD_MS = 5000;
/** Shortest wait before a state is followed again, in milliseconds. */
const RETRY_MS = 1000;

type Open = (since: Position | undefined) => PromiseLike<Subscription<unknown>>;

/** Follows the state of an object, and shows guesses on top of it. */
export class FollowedState implements StateStore<Record<string, AnyRecord>> {
  unsaved: readonly Unsaved[] = [];
  error: RpcError | undefined;
  position: Position | undefined;
  readonly #open: Open;
  readonly #connection: Connection;
  readonly #layers = new Layers();
  readonly #listeners = new Set<() => void>();
  /** Those that wait for a version. */
  #waiting: { readonly version: number; readonly resolve: () => void }[] = [];
  #collections: readonly string[] = [];
  #parts: StateEvent[] = [];
  /** What has arrived and is not shown yet. */
  #arrived: Arrived[] = [];
  /** Calls that may be in what has arrived: nobody knows before they are answered. */
  #doubtful = new Set<Expected>();
  #holdTimer: ReturnType<typeof setTimeout> | null = null;
  /** True while nothing was missed over the present connection. */
  #isCaughtUp = false;
  /** The subscription that is being read; undefined if the store is closed. */
  #reading: { subscription?: Subscription<unknown> } | undefined;
  #wasOpened = false;
  /** The status that listeners know. */
  #told: StateStatus | undefined;
  #unwatch: (() => void) | undefined;

  constructor(stub: object, open: Open) {
    this.#open = open;
    this.#connection = connection(stub);
  }

  get status(): StateStatus {
    if (this.#reading === undefined && this.#wasOpened) return 'closed';
    if (this.position === undefined) return 'loading';
    return this.#isLive ? 'live' : 'behind';
  }

  get(collection: string, id: string): AnyRecord | undefined {
    return this.#layers.get(collection, id);
  }

  all(collection: string): readonly AnyRecord[] {
    return this.#layers.all(collection);
  }

  subscribe(changed: () => void): () => void {
    // A new function each time, so that the same listener can be added twice.
    const entry = () => changed();
    this.#listeners.add(entry);
    return () => void this.#listeners.delete(entry);
  }

  isPending(collection?: string, id?: string): boolean {
    return this.#layers.layers.some(({ draft }) => {
      const written = collection === undefined ? draft?.written : draft?.written.get(collection);
      return written !== undefined && (id === undefined ? written.size > 0 : written.has(id));
    });
  }

  reached(version: number): Promise<void> {
    if (this.position !== undefined && this.position[1] >= version) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.push({ version, resolve }));
  }

  open(): void {
    if (this.#reading !== undefined) return;
    const reading = {};
    this.#reading = reading;
    this.#wasOpened = true;
    this.error = undefined;
    this.#unwatch = this.#connection.onStateChange((state) => {
      if (state !== 'open') this.#isCaughtUp = false;
      if (this.status !== this.#told) this.#tell();
    });
    void this.#follow(reading);
    this.#tell();
  }

  close(): void {
    this.#end(undefined);
  }

  /** Shows a change until its call has made it. `call` makes the call, and returns its promise and number. */
  expect(
    name: string,
    args: readonly unknown[],
    guess: Layer['guess'],
    call: () => { promise: PromiseLike<unknown>; callId: number | undefined },
  ): void {
    const { promise, callId } = call();
    const expected: Expected = { name, args, callId, guess, draft: undefined, isAnswered: false, failure: undefined };
    this.#layers.layers.push(expected);
    this.#show(new Ids());
    promise.then(
      () => this.#settled(expected),
      (error) => this.#settled(expected, { error }),
    );
  }

  /** True while the store shows all that calls with answers have changed. */
  get #isLive(): boolean {
    return this.#hasAll && this.#arrived.length === 0;
  }

  /** True while an answer cannot come before what its call has changed. */
  get #hasAll(): boolean {
    // The state of the connection changes before its listeners learn of it.
    return this.#isCaughtUp && this.#connection.state === 'open';
  }

  async #follow(reading: { subscription?: Subscription<unknown> }): Promise<void> {
    while (this.#reading === reading) {
      try {
        const subscription = await this.#open(this.position);
        reading.subscription = subscription;
        if (this.#reading !== reading) return subscription[Symbol.dispose]();
        this.error = undefined;
        for await (const item of subscription) {
          if (this.#reading !== reading) return;
          if (item.missed !== undefined) continue;
          // While something that was missed is under way, the epoch names what was there before.
          const [epoch] = subscription.position[0].split('!');
          this.#receive(item.event as StateEvent, [epoch, item.sequence], item.calls);
        }
        // The program has closed the connection.
        if (this.#reading === reading) this.#end(this.#connection.reason);
      } catch (error) {
        if (this.#reading !== reading) return;
        const isOver = this.#connection.state === 'closed';
        const delayMs = isOver ? undefined : retryDelayMs(error, this.#isCaughtUp);
        this.#isCaughtUp = false;
        if (delayMs === undefined) return this.#end(error as RpcError);
        this.error = error as RpcError;
        this.#tell();
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  #receive(event: StateEvent, position: Position, calls: unknown): void {
    let events: readonly StateEvent[] = [event];
    const newest = this.#arrived.at(-1)?.position ?? this.position;
    if (isPage(event)) {
      if (event.part === 0) this.#parts = [];
      // Another subscription of the connection may have missed something else.
      if (event.since !== undefined && !isWithin(event.since, newest)) return this.#followAgain();
      // Parts of an earlier connection are followed by all of them again.
      if (event.part !== this.#parts.length) return this.#followAgain();
      this.#parts.push(event);
      if (event.more) return;
      events = this.#parts;
      this.#parts = [];
      this.#isCaughtUp = true;
      // Of calls that were made before and have no answer, nobody knows whether they are in it.
      for (const each of this.#expected) if (!each.isAnswered) this.#doubtful.add(each);
      if (this.#doubtful.size > 0) this.#holdTimer ??= setTimeout(() => this.#heldTooLong(), MAX_HOLD_MS);
    } else if (newest === undefined || position[1] !== newest[1] + 1) {
      // All that was missed is still to come, and has it.
      if (this.#isCaughtUp) this.#followAgain();
      return;
    }
    const named = Array.isArray(calls) ? calls : [];
    for (const each of this.#doubtful) if (named.includes(each.callId)) this.#doubtful.delete(each);
    this.#arrived.push({ events, position, calls: named });
    if (this.#doubtful.size === 0) this.#release();
  }

  /** Follows behind what is shown: what has arrived does not follow on that. */
  #followAgain(): void {
    const { subscription } = this.#reading!;
    this.#isCaughtUp = false;
    this.#parts = [];
    this.#arrived = [];
    this.#reading = {};
    void this.#follow(this.#reading);
    subscription?.[Symbol.dispose]();
  }

  /** Waits no longer for answers, unless there is no connection over which they could come. */
  #heldTooLong(): void {
    this.#holdTimer = null;
    if (this.#hasAll) this.#release();
  }

  /** Shows what was held back. */
  #release(): void {
    clearTimeout(this.#holdTimer!);
    this.#holdTimer = null;
    this.#doubtful.clear();
    if (this.#arrived.length > 0) this.#showArrived();
  }

  /** Applies what has arrived, and takes back the guesses that are in it, as one change. */
  #showArrived(): void {
    const touched = new Ids();
    const named = new Set<number>();
    for (const { events, position, calls } of this.#arrived.splice(0)) {
      for (const event of events) this.#apply(event, touched);
      for (const id of calls) named.add(id);
      this.position = position;
    }
    this.#show(touched, ({ callId }) => callId !== undefined && named.has(callId));
    const { position } = this;
    const reached = this.#waiting.filter(({ version }) => version <= position![1]);
    this.#waiting = this.#waiting.filter(({ version }) => version > position![1]);
    for (const { resolve } of reached) resolve();
  }

  #apply(event: StateEvent, touched: Ids): void {
    if (event === 0) return;
    if (isPage(event)) {
      this.#collections = event.collections;
      if (event.since === undefined && event.part === 0) this.#layers.clear(touched);
    }
    this.#layers.apply(this.#collections, isPage(event) ? event.changes : event, touched);
  }

  #settled(expected: Expected, failure?: { readonly error: unknown }): void {
    expected.isAnswered = true;
    expected.failure = failure;
    if (!this.#expected.includes(expected)) {
      // What it has changed is shown already.
      this.#report([expected]);
      return this.#tell();
    }
    const wasDoubtful = this.#doubtful.delete(expected);
    // Without a connection, nobody knows whether what has arrived has what is shown: the next one tells.
    if (wasDoubtful && this.#doubtful.size === 0 && this.#hasAll) this.#release();
    else if (this.#isLive || isRefused(expected)) this.#show(new Ids());
  }

  get #expected(): Expected[] {
    return this.#layers.layers as Expected[];
  }

  /** Shows changed records, and no longer the guesses that are taken back or that the object has made. */
  #show(touched: Ids, isTaken: (expected: Expected) => boolean = () => false): void {
    const all = this.#expected;
    const isOver = this.#isLive || this.#reading === undefined;
    const gone = all.filter((each) => isTaken(each) || isRefused(each) || (each.isAnswered && isOver));
    if (gone.length > 0) {
      for (const { draft } of gone) if (draft !== undefined) touched.noteAll(draft.written);
      this.#layers.layers = all.filter((each) => !gone.includes(each));
    }
    this.#layers.update(touched);
    this.#report(gone);
    this.#tell();
  }

  /** Lists the changes that have failed. */
  #report(gone: readonly Expected[]): void {
    const failed = unsavedOf(gone, (taken) => {
      this.unsaved = this.unsaved.filter((each) => each !== taken);
      this.#tell();
    });
    if (failed.length > 0) this.unsaved = [...this.unsaved, ...failed];
  }

  #end(error: RpcError | undefined): void {
    const { subscription } = this.#reading ?? {};
    if (this.#reading === undefined) return;
    this.#reading = undefined;
    this.#isCaughtUp = false;
    this.error = error;
    this.#unwatch?.();
    this.#release();
    this.#parts = [];
    subscription?.[Symbol.dispose]();
    // Nothing will tell what has become of calls whose answers are known.
    this.#show(new Ids());
  }

  #tell(): void {
    this.#told = this.status;
    for (const listener of this.#listeners) {
      try {
        listener();
      } catch (error) {
        // The page reports it, and the other listeners learn of the change.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }
}

/** Returns how long to wait before a state is followed again; undefined if that would not help. */
function retryDelayMs(error: unknown, wasCaughtUp: boolean): number | undefined {
  if (!(error instanceof RpcError)) return undefined;
  const { code, data, retryable } = error;
  // A reference may be found again, unless it was lost at once.
  const isLost = code === 'OUTCOME_UNKNOWN' || (code === 'REFERENCE_LOST' && wasCaughtUp);
  if (!retryable && !isLost) return undefined;
  const { retryAfterMs = 0 } = Object(data) as { retryAfterMs?: number };
  return Math.max(retryAfterMs, RETRY_MS) * (1 + Math.random());
}
