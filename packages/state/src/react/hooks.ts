import { placeOf } from '@lumenize/rpc';
import { useCallback, useEffect, useMemo, useRef, useSyncExternalStore } from 'react';
import { type FollowOptions, follow, type OpenState } from '../client/follow.ts';
import type { StateStatus, StateStore, Unsaved } from '../client/store.ts';
import type { RecordTypes } from '../records.ts';

const LATER: FollowOptions = { open: false };
const NOTHING: readonly never[] = [];
const nothing = () => NOTHING;
const none = () => undefined;
const loading = () => 'loading' as const;

/**
 * Follows a state while the component is mounted, and returns the store of it. With another stub it is another store.
 * `open` may be another function in each rendering: the newest one is called. Give the store to other components, which
 * then follow with it. On a server nothing is followed.
 */
export function useFollow<Target extends object, Records extends RecordTypes>(
  stub: Target,
  open: OpenState<Target, Records>,
): StateStore<Records> {
  // Stubs that differ only in their options are made anew with every rendering.
  const { start, path } = placeOf(stub);
  const latest = useRef(open);
  const store = useMemo(
    () => follow<Target, Records>(stub, (target, since) => latest.current(target, since), LATER),
    [start, path.join()],
  );
  useEffect(() => {
    latest.current = open;
  });
  useEffect(() => {
    store.open();
    return () => store.close();
  }, [store]);
  return store;
}

/** Returns all records of a collection by their ids, and renders the component again when one of them changes. */
export function useRecords<Records extends RecordTypes, Name extends keyof Records & string>(
  store: StateStore<Records>,
  collection: Name,
): readonly Records[Name][] {
  return useSyncExternalStore<readonly Records[Name][]>(useListener(store), () => store.all(collection), nothing);
}

/** Returns a record, and renders the component again when it changes; undefined if there is none. */
export function useRecord<Records extends RecordTypes, Name extends keyof Records & string>(
  store: StateStore<Records>,
  collection: Name,
  id: string,
): Records[Name] | undefined {
  return useSyncExternalStore(useListener(store), () => store.get(collection, id), none);
}

/** Returns what a store knows of the object's state, and renders the component again when that changes. */
export function useStatus<Records extends RecordTypes>(store: StateStore<Records>): StateStatus {
  return useSyncExternalStore<StateStatus>(useListener(store), () => store.status, loading);
}

/** Returns the changes that have failed, and renders the component again when there is another one. */
export function useUnsaved<Records extends RecordTypes>(store: StateStore<Records>): readonly Unsaved[] {
  return useSyncExternalStore<readonly Unsaved[]>(useListener(store), () => store.unsaved, nothing);
}

function useListener<Records extends RecordTypes>(store: StateStore<Records>) {
  return useCallback((changed: () => void) => store.subscribe(changed), [store]);
}
