import { malformedFrame } from './malformed.ts';

// Names of the codec's extensions, each with its parts: what stands in values for what cannot be cloned.

/** In arguments a result, or a property path of it; anywhere a reference that goes back to who sent it: `[address, …path]`. */
export const RESULT = 'result';
/** A target, by the id that its owner gave it. */
export const TARGET = 'target';
/** A function, likewise. */
export const FUNCTION = 'function';

/** In arguments a result that has arrived: the value itself. */
export const VALUE = 'value';

/** A ReadableStream that the sender produces, by the id of its channel; `BYTES` comes behind that where it is a stream of bytes. */
export const READABLE = 'readable';
/** A WritableStream of the sender, which consumes its channel. */
export const WRITABLE = 'writable';
/** An async iterable that the sender produces. */
export const ITERABLE = 'iterable';
/** A promise of the sender. */
export const PROMISE = 'promise';
/** In arguments, an AbortSignal of the caller, by its channel; where it is aborted already, null and its reason as a failure. */
export const ABORT_SIGNAL = 'signal';
/** The callback of `map` and `filter`, run once with placeholders: see `recording.ts`. */
export const RECORDING = 'recording';
/** In results, a subscription: see `topic.ts`. */
export const TOPIC = 'topic';

/** Says of a stream that it is one of bytes. */
export const BYTES = 'bytes';

/** Checks an id of a reference or of a channel. */
export function readId(id: unknown): number {
  if (!Number.isSafeInteger(id) || (id as number) < 0) throw malformedFrame('no id');
  return id as number;
}
