import { malformedFrame } from './errors.ts';
import type { Message } from './message.ts';

// Tags of frames that are not the default for their direction. By default, a client sends calls and a server sends
// results. Default frames begin with an id, which is never negative.

/** Results from the client, or calls from the server, follow. */
export const REVERSED = -1;
/** A part of a frame that is too large for the transport: the number of parts that are still to come, and bytes. */
export const PART = -2;
/**
 * Signals of channels follow, from either side: see `channel.ts`. They share no frame with calls, because calls can be
 * refused as a whole.
 */
export const CHANNELS = -3;
/** From the client: a frame of calls follows that was sent before, over a connection that was lost. See `resent.ts`. */
export const RESENT = -4;
/** From the client: a new token for the open connection. See `token.ts`. */
export const TOKEN = -5;
/** The id under which a client sends its tokens. No call has this id, and only one token is under way at a time. */
export const TOKEN_CALL_ID = Number.MAX_SAFE_INTEGER;
/** The id of what a server says unasked about the caller's identity: not that of tokens, whose answer it could precede. */
export const NOTICE_ID = 0;
/** From the server: events of a topic. See `topic.ts`. */
export const EVENTS = -6;

// Names of the codec's extensions, each with its parts. In a value, an extension stands for an object that cannot be
// cloned.

/**
 * In arguments: a result, or a property path of it. Anywhere: a reference that goes back to the side that sent it. The
 * parts are `[address, …path]`.
 */
export const RESULT = 'result';
/** A target, by the id that its owner gave it. */
export const TARGET = 'target';
/** A function, by the id that its owner gave it. */
export const FUNCTION = 'function';

/** In arguments: a result that has arrived, as the value itself. */
export const VALUE = 'value';

/**
 * A ReadableStream that the sender produces, by the id of its channel. For a stream of bytes, `BYTES` follows the id.
 */
export const READABLE = 'readable';
/** A WritableStream of the sender, which consumes its channel. */
export const WRITABLE = 'writable';
/** An async iterable that the sender produces. */
export const ITERABLE = 'iterable';
/** A promise of the sender. */
export const PROMISE = 'promise';
/**
 * In arguments: an AbortSignal of the caller, by the id of its channel. If it is already aborted: null, and its reason
 * as a failure.
 */
export const ABORT_SIGNAL = 'signal';
/** The callback of `map` and `filter`, run once with placeholders. See `recording.ts`. */
export const RECORDING = 'recording';
/** In results: a subscription. See `topic.ts`. */
export const TOPIC = 'topic';

/** Marks a stream as a stream of bytes. */
export const BYTES = 'bytes';

/** Returns true for a whole number of 0 or more. All ids, amounts and numbers of events are such numbers. */
export function isId(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

/** Checks an id or an amount, and returns it. */
export function readId(id: unknown): number {
  // Not by `isId`, which would be one more function for every frame.
  if (!Number.isSafeInteger(id) || (id as number) < 0) throw malformedFrame('no id or amount');
  return id as number;
}

/** Offset of the text in a message that has bytes behind it. */
const TEXT_START = 4;
/** Longest text before the id in a frame that is sent again, in UTF-16 units. */
const MOST_UNITS = 131_072;

const FIRST = /^\[(-?\d{1,16})[,\]]/;
/**
 * Patterns that find the id of a call frame, by the default content of frames of its direction. They also match a frame
 * that is sent again.
 */
const CALLS = {
  // −4 is `RESENT` and −1 is `REVERSED`. A pattern that is built from the constants would stay in bundles that never
  // use it.
  calls: /^\[(?:-4,(?:null|\d+),\[[\d,]*\],\[)?(\d{1,16})[,\]]/,
  results: /^\[-1,(\d{1,16})[,\]]/,
};

/** Returns the number that a frame begins with, without reading the frame; undefined if there is none. */
export function firstNumber(frame: Message): number | undefined {
  return numberBy(FIRST, frame);
}

/** Returns the id of the first call in a call frame, even if the frame cannot be read; undefined for other frames. */
export function idOfCalls(frame: Message, expects: keyof typeof CALLS): number | undefined {
  const id = numberBy(CALLS[expects], frame);
  return isId(id) ? id : undefined;
}

function numberBy(pattern: RegExp, frame: Message): number | undefined {
  // Latin-1 is enough, because digits and brackets are single bytes.
  const text =
    typeof frame === 'string'
      ? frame
      : new TextDecoder('latin1').decode(frame.subarray(TEXT_START, TEXT_START + MOST_UNITS));
  const [, digits] = pattern.exec(text) ?? [];
  return digits === undefined ? undefined : Number(digits);
}
