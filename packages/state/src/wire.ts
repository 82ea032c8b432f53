import type { Position } from '@lumenize/rpc';

/**
 * Changes of records, as followers get them, in a flat list. A number says of which collection the records behind it are,
 * of the first one without it. An object is a whole record; a string is the id of a record, and what is behind it are
 * the fields to change, or null if the record was deleted.
 */
export type Changes = readonly unknown[];

/** A part of what a follower has missed. All parts are one change. */
export interface Page {
  /** The number of the part, from 0. */
  readonly part: number;
  /** The names of the collections, in the order in which numbers mean them. */
  readonly collections: readonly string[];
  /** The position since which these are the changes. Without it, they are all records that there are. */
  readonly since?: Position;
  /** True if this is not the last part. */
  readonly more?: boolean;
  /** The changes. */
  readonly changes: Changes;
}

/** An event of a state: the changes of a turn, zero if the follower may see none of them, or a part of what it has missed. */
export type StateEvent = Changes | 0 | Page;
