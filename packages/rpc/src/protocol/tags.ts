import { malformedFrame } from './errors.ts';
import type { Message } from './message.ts';

// What a frame begins with where it is not what frames of its direction mostly are: calls from the client, results from
// the server. Those begin with an id, which is not negative.

/** Results from the client, or calls from the server, follow. */
export const REVERSED = -1;
/** A part of a frame that is too large for the transport: the number of parts that are still to come, and bytes. */
export const PART = -2;
/** Signals of channels follow, from either side: see `channel.ts`. They share no frame with calls, which can be refused as a whole. */
export const CHANNELS = -3;
/** A frame of calls follows that was sent before, over a connection that was lost: see `resent.ts`. From the client. */
export const RESENT = -4;
/** A new token of the client, over the connection that it has: see `token.ts`. */
export const TOKEN = -5;
/** The number under which a client sends its tokens: no call has it, and there is never more than one under way. */
export const TOKEN_CALL_ID = 0;
/** Events of a topic, from the server: see `topic.ts`. */
export const EVENTS = -6;

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

/** Offset of the text in a message that has bytes behind it. */
const TEXT_START = 4;
/** Longest beginning of a repeated frame before its id, in UTF-16 units. */
const MOST_UNITS = 131_072;

const FIRST = /^\[(-?\d{1,16})[,\]]/;
/** The id that a call frame begins with, by what frames of its direction mostly hold; of one that is sent again, too. */
const CALLS = {
  // −4 is `RESENT`, and −1 `REVERSED`: a pattern that is made of them would be in bundles that never use it.
  calls: /^\[(?:-4,(?:null|\d+),\[[\d,]*\],\[)?(\d{1,16})[,\]]/,
  results: /^\[-1,(\d{1,16})[,\]]/,
};

/** Returns the number that a frame begins with, without reading it; undefined where there is none. */
export function firstNumber(frame: Message): number | undefined {
  return numberBy(FIRST, frame);
}

/** Returns the id of the first call of a frame of calls that may not be readable; undefined for others. */
export function idOfCalls(frame: Message, expects: keyof typeof CALLS): number | undefined {
  const id = numberBy(CALLS[expects], frame);
  return Number.isSafeInteger(id) ? id : undefined;
}

function numberBy(pattern: RegExp, frame: Message): number | undefined {
  // Digits and brackets are single bytes.
  const text =
    typeof frame === 'string'
      ? frame
      : new TextDecoder('latin1').decode(frame.subarray(TEXT_START, TEXT_START + MOST_UNITS));
  const [, digits] = pattern.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
