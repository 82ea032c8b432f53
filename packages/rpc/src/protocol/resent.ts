import { fromMessage, toMessage } from '@lumenize/structured-clone/messages';
import { malformedFrame } from './errors.ts';
import type { FrameEntries } from './frame-reader.ts';
import type { Message } from './message.ts';
import { RESENT, readId } from './tags.ts';

/** A frame that was sent before, over a connection that was lost, or that was written for it. */
export interface ResentFrame {
  /** Milliseconds since it was sent first; undefined where it never was, so that none of it can have run. */
  readonly ageMs: number | undefined;
  /** Places of the operations that are still to be answered. */
  readonly places: readonly number[];
  /** The frame as it was. */
  readonly frame: FrameEntries;
  /** Places of those that returned a subscription, which is to go on behind this number. */
  readonly subscriptions: ReadonlyMap<number, number>;
}

/** By how much it can be larger than the frame that it holds. */
export const RESENT_OVERHEAD_BYTES = 65_536;

/** Makes the frame that sends another one again: its text is in it as it was, and its bytes are behind it. */
export function writeResent(
  ageMs: number | undefined,
  places: readonly number[],
  message: Message,
  subscriptions: readonly (readonly [place: number, last: number])[] = [],
): Message {
  const { text, tail } = fromMessage(message);
  const age = ageMs === undefined ? null : Math.ceil(ageMs);
  const behind = subscriptions.length > 0 ? `,${JSON.stringify(subscriptions)}` : '';
  return toMessage(`[${RESENT},${age},[${places}],${text}${behind}]`, tail ? [tail] : []);
}

/** Checks a frame that sends another one again. */
export function readResent(resent: FrameEntries): ResentFrame {
  const [, ageMs, places, entries, subscriptions = [], ...rest] = resent.entries;
  if (ageMs !== null && !(typeof ageMs === 'number' && ageMs >= 0)) throw malformedFrame('an age that is none');
  if (!Array.isArray(places) || !Array.isArray(entries) || rest.length > 0) {
    throw malformedFrame('a frame sent again without its places or its content');
  }
  if (!Array.isArray(subscriptions) || !subscriptions.every(Array.isArray)) throw malformedFrame('no subscriptions');
  const resumed = subscriptions.map(([place, last]) => [readId(place), readId(last)] as const);
  return {
    ageMs: ageMs ?? undefined,
    places: places.map(readId),
    frame: { ...resent, entries },
    subscriptions: new Map(resumed),
  };
}
