import { createEncoder } from '@lumenize/structured-clone';
import { readId } from './extension.ts';
import { RESENT } from './frame-kind.ts';
import { malformedFrame } from './malformed.ts';
import type { Message } from './message.ts';

/** A frame that was sent before, over a connection that was lost, or that was written for it. */
export interface ResentFrame {
  /** Milliseconds since it was sent first; undefined where it never was, so that none of it can have run. */
  readonly ageMs: number | undefined;
  /** Places of the operations that are still to be answered. */
  readonly places: readonly number[];
  /** The frame as it was. */
  readonly message: Message;
  /** Places of those that returned a subscription, which is to go on behind this number. */
  readonly subscriptions: ReadonlyMap<number, number>;
}

/** By how much it can be larger than the frame that it holds. */
export const RESENT_OVERHEAD_BYTES = 65_536;

export function writeResent(
  ageMs: number | undefined,
  places: readonly number[],
  message: Message,
  subscriptions: readonly (readonly [place: number, last: number])[] = [],
): Uint8Array<ArrayBuffer> {
  const encoder = createEncoder();
  for (const value of [RESENT, ageMs === undefined ? undefined : Math.ceil(ageMs), places, message])
    encoder.write(value);
  if (subscriptions.length > 0) encoder.write(subscriptions);
  return encoder.finish();
}

/** Checks what follows the kind of the frame. */
export function readResent([ageMs, places, message, subscriptions = [], ...rest]: unknown[]): ResentFrame {
  if (ageMs !== undefined && !(typeof ageMs === 'number' && ageMs >= 0)) throw malformedFrame('an age that is none');
  if (!Array.isArray(places) || !isMessage(message) || rest.length > 0) {
    throw malformedFrame('a frame sent again without its places or its content');
  }
  if (!Array.isArray(subscriptions) || !subscriptions.every(Array.isArray)) throw malformedFrame('no subscriptions');
  const resumed = subscriptions.map(([place, last]) => [readId(place), readId(last)] as const);
  return { ageMs, places: places.map(readId), message, subscriptions: new Map(resumed) };
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'string' || value instanceof Uint8Array;
}
