import type { Position, RpcError } from '@lumenize/rpc';
import type { RecordTypes } from '../records.ts';

/**
 * What a store knows of the object's state. `loading`: nothing yet, or it was not opened yet. `live`: it has what the object has. `behind`: there
 * is no connection, or it is being told what it has missed. `closed`: it learns of nothing any more.
 */
export type StateStatus = 'loading' | 'live' | 'behind' | 'closed';

/** A change that was shown and that the object has not made, or perhaps has not. */
export interface Unsaved {
  /** The name of the method. */
  readonly name: string;
  /** The arguments of the call. */
  readonly args: readonly unknown[];
  /** The error of the call. With the code `OUTCOME_UNKNOWN`, the state shows whether the call has run. */
  readonly error: unknown;
  /** Takes it off the list. */
  take(): void;
}

/** The state of an object, as a client has it. It is kept up to date until it is closed. */
export interface StateStore<Records extends RecordTypes> {
  /** Returns a record; undefined if there is none. It is the same object until the record changes. */
  get<Name extends keyof Records & string>(collection: Name, id: string): Records[Name] | undefined;
  /** Returns all records of a collection, by their ids. It is the same list until one of them changes. */
  all<Name extends keyof Records & string>(collection: Name): readonly Records[Name][];
  /** Calls a listener after each change of anything that the store shows, until the returned function is called. */
  subscribe(changed: () => void): () => void;
  /** Returns true if a change is shown that the object has not made yet: of a record, of a collection, or at all. */
  isPending(collection?: keyof Records & string, id?: string): boolean;
  /** The changes that were shown and failed, the oldest first. They stay until they are taken. */
  readonly unsaved: readonly Unsaved[];
  /** What the store knows of the object's state. */
  readonly status: StateStatus;
  /** Why the store is closed, or cannot follow at the moment; undefined if it can. */
  readonly error: RpcError | undefined;
  /** The position of the newest change that is shown; undefined before there is any. */
  readonly position: Position | undefined;
  /** Resolves when the store shows this version of the state, or a later one. */
  reached(version: number): Promise<void>;
  /** Follows the state. It is called by `follow()`, and may be called again after `close()`. */
  open(): void;
  /** Follows no longer. What was shown stays. */
  close(): void;
}
