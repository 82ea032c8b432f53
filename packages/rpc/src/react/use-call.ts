import { useCallback, useEffect, useSyncExternalStore } from 'react';
import { type CallView, isOnServer, serverView, type UseCallOptions } from './call-view.ts';
import { type Key, placeOf } from './shared.ts';
import { type MakeCall, type SharedCall, sharedCall } from './shared-call.ts';

/**
 * Makes a call when the component is mounted and returns what becomes of it; components that name the same key for the same
 * stub share one call and its value. `call` may be another function with every rendering: what it depends on belongs into the key.
 * With `use(useCall(…).promise)` a component suspends, and errors go to its error boundary.
 */
export function useCall<Target extends object, Result>(
  stub: Target,
  key: Key,
  call: (stub: Target) => Result,
  options: { readonly initial: NoInfer<Awaited<Result>> },
): CallView<Awaited<Result>, Awaited<Result>>;
export function useCall<Target extends object, Result>(
  stub: Target,
  key: Key,
  call: (stub: Target) => Result,
  options?: UseCallOptions<NoInfer<Awaited<Result>>>,
): CallView<Awaited<Result>>;
export function useCall<Target extends object>(
  stub: Target,
  key: Key,
  call: (stub: Target) => unknown,
  options: UseCallOptions<unknown> = {},
): CallView<unknown> {
  return isOnServer() ? serverView(options) : useSharedCall(placeOf(stub, key), () => call(stub), options);
}

function useSharedCall(
  [owner, name]: [object, string],
  make: MakeCall<unknown>,
  options: UseCallOptions<unknown>,
): CallView<unknown> {
  const get = (): SharedCall<unknown> => sharedCall(owner, name, make, options);
  const retain = useCallback((changed: () => void) => get().retain(changed), [owner, name]);
  useEffect(() => {
    get().make = make;
  });
  return useSyncExternalStore(
    retain,
    () => get().view,
    () => get().unloaded,
  );
}
