import type { Extension } from '@lumenize/structured-clone';
import { type Address, FIRST_KEPT } from './address.ts';
import { RECORDING } from './extension.ts';

/**
 * The callback of `map` or `filter`: what it did when it was run once, with placeholders for an element and its key. It is
 * run for each element by running its operations.
 */
export class Recording {
  /**
   * The JSON of a list of forms: operations as in a call frame, and at the end what the callback returned, in a list of one. They
   * are read anew for each element, so that each has arguments and a result of its own.
   */
  readonly text: string;
  /** What the callback used from outside of it. */
  readonly captures: readonly unknown[];
  /** The bytes of the forms. */
  readonly tail: Uint8Array | undefined;

  constructor(text: string, captures: readonly unknown[], tail?: Uint8Array) {
    this.text = text;
    this.captures = captures;
    this.tail = tail;
  }

  /** Returns what stands for it in a value. */
  get extension(): Extension {
    const { text, captures, tail } = this;
    return { name: RECORDING, parts: [JSON.parse(text), captures, ...(tail ? [tail] : [])] };
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
