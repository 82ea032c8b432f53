import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Subscription, TopicItem } from '../protocol/topic.ts';
import { type Key, placeOf, retryDelayMs } from './shared.ts';

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

/** Makes what goes through a subscription while a component is mounted. */
export function createReader<Event>(subscribe: Subscribe<Event>, options: UseSubscriptionOptions<Event>) {
  let view: SubscriptionView<Event> = NOTHING;
  /** The number of the last item. */
  let sequence: number | undefined;
  /** Items that have arrived and are not shown yet. */
  let arrived: TopicItem<Event>[] = [];
  let changed = () => {};
  const reader = {
    /** The functions of the component's last rendering. */
    subscribe,
    options,
    /** Reads until what is returned is called; then it may be begun again, and goes on. */
    start(onChange: () => void): () => void {
      changed = onChange;
      const ending = new AbortController();
      // Later: StrictMode ends it at once, and begins again.
      queueMicrotask(() => void read(ending.signal));
      return () => ending.abort();
    },
    view: () => view,
  };
  return reader;

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
    const subscription = await reader.subscribe(sequence);
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
    const { keep = DEFAULT_KEEP, onItem } = reader.options;
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

/**
 * Subscribes when the component is mounted, reads events until it is unmounted, and returns the newest. `subscribe` receives the number
 * of the last event that is known, at first undefined. It may be another function in each rendering: what it depends on belongs in the
 * key. Another stub or key starts over.
 */
export function useSubscription<Target extends object, Event>(
  stub: Target,
  key: Key,
  subscribe: (stub: Target, since: number | undefined) => PromiseLike<Subscription<Event>>,
  options: UseSubscriptionOptions<Event> = {},
): SubscriptionView<Event> {
  const make = (since: number | undefined) => subscribe(stub, since);
  const reader = useMemo(() => createReader(make, options), placeOf(stub, key));
  useEffect(() => {
    reader.subscribe = make;
    reader.options = options;
  });
  return useSyncExternalStore(reader.start, reader.view, () => NOTHING);
}
