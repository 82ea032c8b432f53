import type { Position, Subscription, TopicItem } from '@lumenize/rpc';
import { constantStore, isOnServer, retryDelayMs, type Store } from './store.ts';

/** The state of a subscription, for a component to show. */
export interface SubscriptionView<Event> {
  /** The newest items, the oldest of them first: events with their numbers, and gaps. */
  readonly items: readonly TopicItem<Event>[];
  /** The position behind the newest item, for `since` of a later subscription; undefined before it has begun. */
  readonly position: Position | undefined;
  /** The newest event; undefined before the first one. */
  readonly latest: Event | undefined;
  /** The number of events that were missed; `Infinity` if that cannot be known. */
  readonly missed: number;
  /** True while the call that subscribes waits for its result. */
  readonly isPending: boolean;
  /**
   * The error of the call that subscribes, if it failed. If the error is `retryable`, the call is repeated
   * automatically.
   */
  readonly error: unknown;
}

/** Options for reading a subscription. */
export interface UseSubscriptionOptions<Event> {
  /** The number of items to show: the newest are kept. @default 100 */
  readonly keep?: number;
  /** Called once with each item, when it is shown. */
  readonly onItem?: ((item: TopicItem<Event>) => void) | undefined;
}

/** Subscribes, continuing behind this position, which is undefined the first time. */
export type Subscribe<Event> = (since: Position | undefined) => PromiseLike<Subscription<Event>>;

const NOTHING: SubscriptionView<never> = {
  items: [],
  position: undefined,
  latest: undefined,
  missed: 0,
  isPending: true,
  error: undefined,
};
const DEFAULT_KEEP = 100;
/** Microtasks in which the next item is read, if there is one: a function that wraps a subscription takes some. */
const JOBS_AN_ITEM = 6;

/** The store of the state of a subscription. The fields that may change with each rendering can be replaced. */
export interface SubscriptionStore<Event> extends Store<SubscriptionView<Event>> {
  /** Subscribes. Assigning another function affects the next time. */
  open: Subscribe<Event>;
  /** Options for showing the subscription. */
  options: UseSubscriptionOptions<Event>;
}

/**
 * Creates the store of a subscription, for one component. While the store is subscribed to, the subscription is open
 * and its events are read. If the store is subscribed to again, it continues where it ended.
 * @throws {TypeError} if `keep` is not a number of 0 or more
 */
export function subscriptionStore<Event>(
  open: Subscribe<Event>,
  options: UseSubscriptionOptions<Event> = {},
): SubscriptionStore<Event> {
  const { keep = DEFAULT_KEEP } = options;
  if (!(typeof keep === 'number' && keep >= 0)) throw new TypeError('keep needs a number, 0 or more');
  return isOnServer()
    ? { ...constantStore<SubscriptionView<Event>>(NOTHING), open, options }
    : createReader(open, options);
}

/** Creates the store of a subscription in a page. */
export function createReader<Event>(
  open: Subscribe<Event>,
  options: UseSubscriptionOptions<Event>,
): SubscriptionStore<Event> {
  let view: SubscriptionView<Event> = NOTHING;
  /** The number of the last item, and the position behind it. */
  let sequence: number | undefined;
  let position: Position | undefined;
  /** Items that have arrived and are not shown yet. They wait while the store is not subscribed to. */
  let arrived: TopicItem<Event>[] = [];
  let changed: (() => void) | undefined;
  const store: SubscriptionStore<Event> = {
    open,
    options,
    initial: NOTHING,
    get: () => view,
    subscribe(onChange) {
      changed = onChange;
      setTimeout(show);
      const ending = new AbortController();
      // Begins later, because StrictMode unsubscribes at once and subscribes again.
      queueMicrotask(() => void read(ending.signal));
      return () => {
        ending.abort();
        if (changed === onChange) changed = undefined;
      };
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
    if (!view.isPending) show({ isPending: true });
    const subscription = await store.open(position);
    if (ending.aborted) return subscription[Symbol.dispose]();
    ending.addEventListener('abort', () => subscription[Symbol.dispose]());
    // Where it began counts until there is an item: it is the position to continue after.
    position ??= subscription.position;
    sequence ??= subscription.sequence;
    show({ isPending: false, error: undefined, position });
    for await (const item of subscription) {
      if (ending.aborted) return;
      if (lifeOf(subscription.position) !== lifeOf(position)) sequence = 0;
      position = subscription.position;
      // Skips events that were known before subscribing again. If the numbers started over, a gap comes first.
      if (item.missed === undefined && item.sequence <= sequence) continue;
      sequence = item.sequence;
      if (arrived.push(item) === 1) void showTogether();
    }
  }

  /** Shows all items that can be read without waiting. The answer of the call that has published them waits longer. */
  async function showTogether(): Promise<void> {
    for (let shown = 0; shown < arrived.length; ) {
      shown = arrived.length;
      for (let job = 0; job < JOBS_AN_ITEM; job++) await undefined;
    }
    show();
  }

  /** Shows a change, and the items that have arrived. Each item is shown and told of once. */
  function show(change?: Partial<SubscriptionView<Event>>): void {
    if (changed && arrived.length > 0) {
      const { keep = DEFAULT_KEEP, onItem } = store.options;
      const shown = arrived;
      arrived = [];
      const items = [...view.items, ...shown];
      // If `keep` is 0, `slice(-keep)` would keep all items.
      items.splice(0, items.length - keep);
      change = {
        items,
        position,
        latest: shown.findLast((item) => item.missed === undefined)?.event ?? view.latest,
        missed: shown.reduce((sum, item) => sum + (item.missed ?? 0), view.missed),
        ...change,
      };
      // Each item has its own microtask. The page reports an error that `onItem` throws, and later items still reach it.
      if (onItem) for (const item of shown) queueMicrotask(() => onItem(item));
    }
    if (change === undefined) return;
    view = { ...view, ...change };
    changed?.();
  }
}

/** Returns the life of the topic that a position belongs to, if it says so. */
function lifeOf(position: Position | undefined): string | undefined {
  return position?.[0].split('.')[0];
}
