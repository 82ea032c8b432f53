import type { Remote } from '@lumenize/rpc';
import { useSyncExternalStore } from 'react';
import { type PresenceStore, type PresenceView, presenceStore } from './store.ts';
import type { PresenceTarget } from './target.ts';

/**
 * Returns who is there, and `set` to change what this client shows. It joins when the component is mounted, and leaves
 * when the last component with the same stub and member is unmounted. `member` is the name of the member of your target
 * that has the presence.
 */
export function usePresence<Name extends string, Fields extends object>(
  stub: { readonly [Member in Name]: Remote<PresenceTarget<Fields>> },
  member: Name,
): PresenceView<Fields> & Pick<PresenceStore<Fields>, 'set'> {
  const store = presenceStore<Fields>(stub[member]);
  const view = useSyncExternalStore(store.subscribe, store.get, () => store.initial);
  return { ...view, set: store.set };
}
