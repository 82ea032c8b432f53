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

/** Returns the text of a value whose bytes come behind those that its frame has by then. */
export function placed(text: string, own: readonly Uint8Array[], before: readonly Uint8Array[] | undefined): string {
  return own.length === 0 || before === undefined || before.length === 0
    ? text
    : `${text.slice(0, -1)},"at":${bytesOf(before)}}`;
}

export function tooLarge(bytes: number, most: number): string {
  return `${bytes} bytes are more than maxMessageBytes of ${most}: send them in pieces, or as a stream`;
}
