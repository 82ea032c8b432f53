import { malformedFrame } from './malformed.ts';

// Kinds of extensions of the codec: what stands in values for what cannot be cloned.

/** In arguments a result, or a property path of it; anywhere a reference that goes back to who sent it: `[address, …path]`. */
export const RESULT = 0;
/** A target, by the id that its owner gave it. */
export const TARGET = 1;
/** A function, likewise. */
export const FUNCTION = 2;

/** In arguments a result that has arrived: the value itself. */
export const VALUE = 3;

/** A ReadableStream that the sender produces, by the id of its channel; in a list of its own where it is a stream of bytes. */
export const READABLE = 4;
/** A WritableStream of the sender, which consumes its channel. */
export const WRITABLE = 5;
/** An async iterable that the sender produces. */
export const ITERABLE = 6;
/** A promise of the sender. */
export const PROMISE = 7;
/** In arguments, an AbortSignal of the caller, by its channel; where it is aborted already, its reason as a failure. */
export const ABORT_SIGNAL = 8;
/** The callback of `map` and `filter`, run once with placeholders: see `recording.ts`. */
export const RECORDING = 9;
/** In results, a subscription: see `topic.ts`. */
export const TOPIC = 10;

/** Checks an id of a reference or of a channel. */
export function readId(id: unknown): number {
  if (!Number.isSafeInteger(id) || (id as number) < 0) throw malformedFrame('no id');
  return id as number;
}
