import type { Settings } from './options.ts';

/**
 * The longest text of several calls or answers. The other side checks the objects of a frame by its brackets, before it
 * reads any value: in a text this short there are no more than in one value.
 */
export function mostText({ limits }: Settings): number {
  return 2 * limits.maxObjects;
}

export function bytesOf(tail: readonly Uint8Array[] | undefined): number {
  return tail === undefined ? 0 : tail.reduce((sum, { length }) => sum + length, 0);
}

export function tooLarge(bytes: number, most: number): string {
  return `${bytes} bytes are more than maxMessageBytes of ${most}: send them in pieces, or as a stream`;
}
