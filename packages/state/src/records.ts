import type { Subscription } from '@lumenize/rpc';

/** A record of a collection: a plain object that has the id by which it is found. */
export interface Identified {
  /** The id, which stays the same as long as the record exists. */
  readonly id: string;
}

/** The types of the records of a state, by the names of their collections. */
export type RecordTypes = { readonly [Name: string]: Identified };

declare const RECORDS: unique symbol;

/** A change of a state, as followers get it. Only the library reads it. */
export interface StateChange<Records> {
  /** Exists only in the types, not at run time. */
  readonly [RECORDS]: Records;
}

/** The result of a method that lets its caller follow a state: `follow()` of the client makes a store of it. */
export type Follow<Records> = Subscription<StateChange<Records>>;

/** The fields of a record that can be changed. A field that is undefined is removed. */
export type Fields<T> = { readonly [Key in Exclude<keyof T, 'id'>]?: T[Key] | undefined };
