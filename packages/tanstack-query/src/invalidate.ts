import type { Subscription } from '@lumenize/rpc';
import { subscriptionStore } from '@lumenize/stores';
import { hashKey, type Query, type QueryClient, type QueryKey } from '@tanstack/query-core';
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
  let earlier: Query[] = [];
  /** Queries to invalidate once more when the calls that they wait for have succeeded. */
  const loading = new Set<Query>();
  /**
   * Invalidates the queries of a key. If TanStack Query does not cancel their calls, it takes the results for newer
   * than the event, which they need not be.
   */
  const invalidateKey = (queryKey: QueryKey) => {
    for (const query of client.getQueryCache().findAll({ queryKey, fetchStatus: 'fetching' })) {
      if (loading.has(query) || (query.isActive() && query.state.data !== undefined)) continue;
      loading.add(query);
      const again = () => {
        loading.delete(query);
        void client.invalidateQueries({ queryKey: query.queryKey, exact: true });
      };
      query.fetch().then(again, () => loading.delete(query));
    }
    void client.invalidateQueries({ queryKey });
  };
  /** The keys to invalidate for events that arrived together. */
  const due = new Map<string, QueryKey>();
  const invalidate = () => {
    for (const queryKey of due.values()) invalidateKey(queryKey);
    due.clear();
  };
  const open = (since: number | undefined) => {
    if (since === undefined) earlier = client.getQueryCache().findAll({ queryKey: all });
    return subscribe(stub, since);
  };
  const store = subscriptionStore(open, {
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
