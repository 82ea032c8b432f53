import type { Subscription } from '@lumenize/rpc';
import { subscriptionStore } from '@lumenize/stores';
import { hashKey, type QueryClient, type QueryKey } from '@tanstack/query-core';
import { rpcKey } from './options.ts';

/** The queries that an event changes: methods and targets, or keys of queries. */
export type Changed = readonly (object | QueryKey)[];

/**
 * Subscribes to a topic and invalidates queries with each event: `changed` returns which. If events were missed, all
 * queries of `stub` are invalidated. Once subscribed, the queries that existed before are invalidated too. Returns a
 * function that ends the subscription. On a server it does nothing.
 * @throws {TypeError} if the value is not a stub
 */
export function invalidateOn<Target extends object, Event>(
  client: QueryClient,
  stub: Target,
  subscribe: (stub: Target, since: number | undefined) => PromiseLike<Subscription<Event>>,
  changed: (event: Event) => Changed,
): () => void {
  const all = rpcKey(stub);
  let earlier = client.getQueryCache().findAll({ queryKey: all });
  /** The keys to invalidate for events that arrived together. */
  const due = new Map<string, QueryKey>();
  const invalidate = () => {
    for (const queryKey of due.values()) void client.invalidateQueries({ queryKey });
    due.clear();
  };
  const store = subscriptionStore((since) => subscribe(stub, since), {
    keep: 0,
    onItem({ event, missed }) {
      // Each item has its own microtask, queued before this one. So this runs after all items that arrived together.
      if (due.size === 0) queueMicrotask(invalidate);
      const keys = missed === undefined ? changed(event).map(keyOf) : [all];
      for (const key of keys) due.set(hashKey(key), key);
    },
  });
  return store.subscribe(() => {
    const { isPending, error } = store.get();
    if (isPending || error !== undefined) return;
    // Their data may be older than the subscription.
    for (const { queryKey } of earlier) void client.invalidateQueries({ queryKey, exact: true });
    earlier = [];
  });
}

function keyOf(changed: object | QueryKey): QueryKey {
  return Array.isArray(changed) ? changed : rpcKey(changed);
}
