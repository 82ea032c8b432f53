import { useEffect, useMemo, useSyncExternalStore } from 'react';
import type { Subscription } from '../protocol/topic-item.ts';
import { type Key, placeOf } from './key.ts';
import { SubscriptionReader, type SubscriptionView, type UseSubscriptionOptions } from './subscription-reader.ts';

/**
 * Subscribes when the component is mounted, goes through the events until it is unmounted, and returns the newest. `subscribe` is
 * given the number of the last event that is known, undefined at first. It may be another function with every rendering: what
 * it depends on belongs into the key. Another stub or key begins anew.
 */
export function useSubscription<Target extends object, Event>(
  stub: Target,
  key: Key,
  subscribe: (stub: Target, since: number | undefined) => PromiseLike<Subscription<Event>>,
  options: UseSubscriptionOptions<Event> = {},
): SubscriptionView<Event> {
  const make = (since: number | undefined) => subscribe(stub, since);
  const reader = useMemo(() => new SubscriptionReader(make, options), placeOf(stub, key));
  useEffect(() => {
    reader.subscribe = make;
    reader.options = options;
  });
  return useSyncExternalStore(reader.start, reader.view, reader.serverView);
}
