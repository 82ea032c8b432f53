import type { Subscription, TopicItem } from '@lumenize/rpc';
import { constantStore, isOnServer, retryDelayMs, type Store } from './store.ts';

/** The state of a subscription, as a component shows it. */
export interface SubscriptionView<Event> {
  /** Newest items, the oldest first: events with their numbers, and gaps. */
  readonly items: readonly TopicItem<Event>[];
  /** The newest event; undefined before the first one. */
  readonly latest: Event | undefined;
  /** Number of events that were missed; `Infinity` if that cannot be known. */
  readonly missed: number;
  /** True while the call that subscribes waits for its answer. */
  readonly isPending: boolean;
  /** Error of the call that subscribes, if it failed. If the error is `retryable`, it is made again by itself. */
  readonly error: unknown;
}

/** Options for reading a subscription. */
export interface UseSubscriptionOptions<Event> {
  /** Number of the newest items to show. @default 100 */
  readonly keep?: number;
  /** Called with each item, once, when it is shown. */
  readonly onItem?: ((item: TopicItem<Event>) => void) | undefined;
}

/** Subscribes since the event of this number; undefined for the first time. */
export type Subscribe<Event> = (since: number | undefined) => PromiseLike<Subscription<Event>>;

const NOTHING: SubscriptionView<never> = { items: [], latest: undefined, missed: 0, isPending: true, error: undefined };
const DEFAULT_KEEP = 100;

/** The state of a subscription. What may be another one with each rendering can be replaced. */
export interface SubscriptionStore<Event> extends Store<SubscriptionView<Event>> {
  /** Subscribes, now or the next time. */
  open: Subscribe<Event>;
  /** Options that say how it is shown. */
  options: UseSubscriptionOptions<Event>;
}

/**
 * Makes the store of a subscription. Whoever subscribes to the store has it opened and read until then, and again later from where
 * it ended. It is for one component.
 */
export function subscriptionStore<Event>(
  open: Subscribe<Event>,
  options: UseSubscriptionOptions<Event> = {},
): SubscriptionStore<Event> {
  return isOnServer()
    ? { ...constantStore<SubscriptionView<Event>>(NOTHING), open, options }
    : createReader(open, options);
}

/** Makes the store of a subscription in a page. */
export function createReader<Event>(
  open: Subscribe<Event>,
  options: UseSubscriptionOptions<Event>,
): SubscriptionStore<Event> {
  let view: SubscriptionView<Event> = NOTHING;
  /** The number of the last item. */
  let sequence: number | undefined;
  /** Items that have arrived and are not shown yet. */
  let arrived: TopicItem<Event>[] = [];
  let changed = () => {};
  const store: SubscriptionStore<Event> = {
    open,
    options,
    initial: NOTHING,
    get: () => view,
    subscribe(onChange) {
      changed = onChange;
      const ending = new AbortController();
      // Later: StrictMode ends it at once, and begins again.
      queueMicrotask(() => void read(ending.signal));
      return () => ending.abort();
    },
  };
  return store;

  async function read(ending: AbortSignal): Promise<void> {
    while (!ending.aborted) {
      try {
        return await follow(ending);
      } catch (error) {
        if (ending.aborted) return;
        show({ isPending: false, error });
        const delayMs = retryDelayMs(error);
        if (delayMs === undefined) return;
        await new Promise((resolve) => setTimeout(resolve, delayMs));
      }
    }
  }

  async function follow(ending: AbortSignal): Promise<void> {
    const subscription = await store.open(sequence);
    if (ending.aborted) return subscription[Symbol.dispose]();
    ending.addEventListener('abort', () => subscription[Symbol.dispose]());
    show({ isPending: false, error: undefined });
    for await (const item of subscription) {
      if (ending.aborted) return;
      // What was known when it began again; numbers that begin anew come behind a gap.
      if (item.missed === undefined && sequence !== undefined && item.sequence <= sequence) continue;
      sequence = item.sequence;
      // Together with those that have arrived with it: a component would render for each.
      if (arrived.push(item) === 1) setTimeout(showArrived);
    }
  }

  function showArrived(): void {
    const { keep = DEFAULT_KEEP, onItem } = store.options;
    const shown = arrived;
    arrived = [];
    const items = [...view.items, ...shown];
    // Of none at all, `slice(-keep)` would keep all.
    items.splice(0, items.length - keep);
    show({
      items,
      latest: shown.findLast((item) => item.missed === undefined)?.event ?? view.latest,
      missed: shown.reduce((sum, item) => sum + (item.missed ?? 0), view.missed),
    });
    // One by one: what it throws is the page's to report, and keeps no other item from it.
    if (onItem) for (const item of shown) queueMicrotask(() => onItem(item));
  }

  function show(change: Partial<SubscriptionView<Event>>): void {
    view = { ...view, ...change };
    changed();
  }
}
