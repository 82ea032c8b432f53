import type { Subscription } from '@lumenize/rpc';
import { subscriptionStore } from '@lumenize/stores';
import { hashKey, type QueryClient, type QueryKey } from '@tanstack/query-core';
import { rpcKey } from './options.ts';

/** Changes of an event: methods and targets, or keys of queries. */
export type Changed = readonly (object | QueryKey)[];

/**
 * Subscribes to a topic, and invalidates queries with each of its events: `changed` says which. If events were missed, all queries of
 * `stub` are invalidated, and at first those that were there before the subscription. Returns a function that ends it. On a server it does
 * nothing.
 * @throws {TypeError} if the value is no stub
 */
export function invalidateOn<Target extends object, Event>(
  client: QueryClient,
  stub: Target,
  subscribe: (stub: Target, since: number | undefined) => PromiseLike<Subscription<Event>>,
  changed: (event: Event) => Changed,
): () => void {
  const all = rpcKey(stub);
  let earlier = client.getQueryCache().findAll({ queryKey: all });
  /** Of events that have arrived together. */
  const due = new Map<string, QueryKey>();
  const invalidate = () => {
    for (const queryKey of due.values()) void client.invalidateQueries({ queryKey });
    due.clear();
  };
  const store = subscriptionStore((since) => subscribe(stub, since), {
    keep: 0,
    onItem({ event, missed }) {
      // A microtask each: all that have arrived are told of before the first that is queued here.
      if (due.size === 0) queueMicrotask(invalidate);
      const keys = missed === undefined ? changed(event).map(keyOf) : [all];
      for (const key of keys) due.set(hashKey(key), key);
    },
  });
  return store.subscribe(() => {
    const { isPending, error } = store.get();
    if (isPending || error !== undefined) return;
    // What they have may be from before the subscription began.
    for (const { queryKey } of earlier) void client.invalidateQueries({ queryKey, exact: true });
    earlier = [];
  });
}

function keyOf(changed: object | QueryKey): QueryKey {
  return Array.isArray(changed) ? changed : rpcKey(changed);
}
