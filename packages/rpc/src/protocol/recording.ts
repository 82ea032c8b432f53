import { type Address, FIRST_KEPT } from './address.ts';

/**
 * The callback of `map` or `filter`: what it did when it was run once, with placeholders for an element and its key. It is
 * run for each element by running its operations.
 */
export class Recording {
  /**
   * A sequence of values: operations as in a call frame, and at the end what the callback returned, in a list of one. They
   * are decoded anew for each element, so that each has arguments and a result of its own.
   */
  readonly body: Uint8Array;
  /** What the callback used from outside of it. */
  readonly captures: readonly unknown[];

  constructor(body: Uint8Array, captures: readonly unknown[]) {
    this.body = body;
    this.captures = captures;
  }
}

/** Names of the methods that take a recording. */
export type MappingName = 'map' | 'filter';

/** Whether a method takes a recording, where its receiver is no target that says otherwise. */
export function isMapping(name: unknown): name is MappingName {
  return name === 'map' || name === 'filter';
}

/** The address of something from outside. In a recording 0 is the element, and the key stands before the first operation. */
export function captureAddress(place: number): Address {
  return FIRST_KEPT - place;
}

/** Reads the address of a capture: its place. */
export function captureAt(address: Address): number {
  return FIRST_KEPT - address;
}

/** How many operations there are before the one at `place`, for addresses: the key counts as one. */
export function recordedIndex(place: number): number {
  return place + 1;
}
