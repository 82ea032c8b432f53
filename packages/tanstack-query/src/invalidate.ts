import { type Position, RpcError, type Subscription, type TopicItem } from '@lumenize/rpc';
import { subscriptionStore } from '@lumenize/stores';
import { hashKey, type QueryClient, type QueryKey } from '@tanstack/query-core';
import { rpcKey } from './options.ts';

/** The queries that an event changes: methods and targets, or keys of queries. */
export type Changed = readonly (object | QueryKey)[];

/**
 * Subscribes to a topic and invalidates queries with each event: `changed` returns which. If events were missed, all
 * queries of `stub` are invalidated, and once subscribed, those that existed before. Returns a function that ends the
 * subscription. An error that ends it is logged, as no component shows it. On a server it does nothing.
 * @throws {TypeError} if the value is not a stub
 */
export function invalidateOn<Target extends object, Event>(
  client: QueryClient,
  stub: Target,
  subscribe: (stub: Target, since: Position | undefined) => PromiseLike<Subscription<Event>>,
  changed: (event: Event) => Changed,
): () => void {
  const all = rpcKey(stub);
  const cache = client.getQueryCache();
  /** The keys to invalidate for events that arrived together. */
  const due = new Map<string, QueryKey>();
  const add = (key: QueryKey) => {
    // Each item has its own microtask, queued before this one. So this runs after all items that arrived together.
    if (due.size === 0) queueMicrotask(invalidate);
    due.set(hashKey(key), key);
  };
  const invalidate = () => {
    for (const queryKey of due.values()) {
      // TanStack Query takes a result that it goes on waiting for as newer than the event, which it need not be.
      for (const query of cache.findAll({ queryKey, fetchStatus: 'fetching' })) {
        if (query.isActive() && query.state.data !== undefined) continue;
        query.fetch().then(
          () => add(query.queryKey),
          () => {},
        );
      }
      void client.invalidateQueries({ queryKey });
    }
    due.clear();
  };
  const open = async (since: Position | undefined) => {
    const subscription = await subscribe(stub, since);
    // Data that was asked for before may be older than the subscription.
    if (since === undefined) for (const { queryKey } of cache.findAll({ queryKey: all })) add(queryKey);
    return subscription;
  };
  const onItem = ({ event, missed }: TopicItem<Event>) => {
    for (const key of missed === undefined ? changed(event) : [all]) add(Array.isArray(key) ? key : rpcKey(key));
  };
  const store = subscriptionStore(open, { keep: 0, onItem });
  return store.subscribe(() => {
    const { error } = store.get();
    if (error && !(error instanceof RpcError && error.retryable)) console.error('invalidateOn() has ended:', error);
  });
}
