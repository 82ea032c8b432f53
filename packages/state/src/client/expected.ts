import { RpcError } from '@lumenize/rpc';
import type { Layer } from './layers.ts';
import type { Unsaved } from './store.ts';

/** A change that is shown until the object has made it. */
export interface Expected extends Layer {
  readonly name: string;
  readonly args: readonly unknown[];
  /** The number of its call; undefined if the call has none. */
  readonly callId: number | undefined;
  /** True if the call has its answer. It is shown until the state has what the call has changed. */
  isAnswered: boolean;
  /** Why the call has failed. */
  failure: { readonly error: unknown } | undefined;
}

/** Returns true if its call has failed, and changed nothing. */
export function isRefused({ failure }: Expected): boolean {
  return failure !== undefined && !(failure.error instanceof RpcError && failure.error.code === 'OUTCOME_UNKNOWN');
}

/** Returns the entries of those whose calls have failed. `take` takes one off the list. */
export function unsavedOf(gone: readonly Expected[], take: (unsaved: Unsaved) => void): Unsaved[] {
  return gone.flatMap(({ name, args, failure }) => {
    if (failure === undefined) return [];
    const unsaved: Unsaved = { name, args, error: failure.error, take: () => take(unsaved) };
    return [unsaved];
  });
}
