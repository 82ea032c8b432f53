import type { Position } from '@lumenize/rpc';
import type { Page, StateEvent } from '../wire.ts';

/** An event that has arrived, or all parts of what was missed. */
export interface Arrived {
  readonly events: readonly StateEvent[];
  /** The position behind it. */
  readonly position: Position;
  /** The calls of this client that have led to it. */
  readonly calls: readonly number[];
}

/** Returns true for a part of what was missed. */
export function isPage(event: StateEvent): event is Page {
  return event !== 0 && !Array.isArray(event);
}

/** Returns true if what has changed since a position has all that a store of another position needs. */
export function isWithin([epoch, version]: Position, newest: Position | undefined): boolean {
  return newest !== undefined && epoch === newest[0] && version <= newest[1];
}
