import { fromMessage, toJson, toMessage } from '@lumenize/structured-clone/messages';
import { malformedFrame } from './errors.ts';
import type { FrameEntries } from './frame-reader.ts';
import type { Message } from './message.ts';
import { RESENT, readId } from './tags.ts';
import { checkPosition, type Position } from './topic.ts';

/** Most bytes by which a resent frame can be larger than the frame in it. */
export const RESENT_OVERHEAD_BYTES = 65_536;

/**
 * Writes the frame that sends another one again. The text of that frame is nested unchanged, and its bytes come at the
 * end.
 */
export function writeResent(
  ageMs: number | undefined,
  places: readonly number[],
  message: Message,
  subscriptions: readonly (readonly [place: number, last: Position])[] = [],
): Message {
  const { text, tail } = fromMessage(message);
  const age = ageMs === undefined ? null : Math.ceil(ageMs);
  const behind = subscriptions.length > 0 ? `,${toJson(subscriptions)}` : '';
  return toMessage(`[${RESENT},${age},[${places}],${text}${behind}]`, tail ? [tail] : []);
}

/**
 * Checks a frame that sends another one again, and returns its parts. The connection that the other one was sent over,
 * or written for, was lost.
 */
export function readResent(resent: FrameEntries) {
  const [, ageMs, places, entries, subscriptions = [], ...rest] = resent.entries;
  if (ageMs !== null && !(typeof ageMs === 'number' && ageMs >= 0)) throw malformedFrame('an age that is none');
  if (!Array.isArray(places) || !Array.isArray(entries) || rest.length > 0) {
    throw malformedFrame('a frame sent again without its places or its content');
  }
  if (!Array.isArray(subscriptions) || !subscriptions.every(Array.isArray)) throw malformedFrame('no subscriptions');
  const resumed = subscriptions.map(([place, last]) => {
    checkPosition(last, true);
    return [readId(place), last] as const;
  });
  // An engine takes quadratic time to make a Map of numbers that were chosen so that their hashes are the same.
  if (resumed.some(([place]) => place >= entries.length)) throw malformedFrame('an operation that is not in the frame');
  return {
    /** Milliseconds since the frame was first sent. Undefined if it was never sent, so that none of it can have run. */
    ageMs: ageMs ?? undefined,
    /** Places of the operations that still have to be answered. */
    places: places.map(readId),
    /** The original frame. */
    frame: { ...resent, entries },
    /**
     * Subscriptions that continue: the place of the operation that returned each, and its position.
     */
    subscriptions: new Map(resumed),
  };
}
