import type { Message } from '@lumenize/structured-clone/messages';

export const MEGABYTE = 1_000_000;

/** The text of a frame of these entries. */
export const frame = (id: number, ...entries: unknown[]): string => JSON.stringify([id, ...entries]);

/** At least one. */
export function times<T>(count: number, make: (place: number) => T): T[] {
  return Array.from({ length: Math.max(Math.floor(count), 1) }, (_, place) => make(place));
}

/** As many as there may be for a megabyte, and less for less, as to warm up. */
export function upTo<T>(count: number, bytes: number, make: (place: number) => T): T[] {
  return times(Math.min(1, bytes / MEGABYTE) * count, make);
}

/** Frames, each of so many bytes or a little more. */
export function frames(bytes: number, size: number, make: (place: number) => Message): Message[] {
  return times(bytes / size, make);
}
