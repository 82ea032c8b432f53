/// <reference lib="esnext.disposable" preserve="true" />

/**
 * A position in a topic, as `position` of a subscription or a topic says it, for `since` of a later subscription: the
 * number of an event, and the epoch of the topic, which tells this event from others with the same number.
 */
export type Position = readonly [epoch: string, sequence: number];

declare const EVENT: unique symbol;

/** An item of a subscription: an event and its number, or a gap of events that are no longer available. */
export type TopicItem<Event> =
  | {
      /** The number of the event: one more than that of the previous event. */
      readonly sequence: number;
      readonly event: Event;
      /** The `callId` of this client's calls that have led to the event, if the topic names them. */
      readonly calls?: readonly number[];
      readonly missed?: undefined;
    }
  | {
      /** The number of the last event that was missed. */
      readonly sequence: number;
      /** Number of missed events, or `Infinity` if it cannot be known. */
      readonly missed: number;
      readonly event?: undefined;
    };

/** Options that say where a subscription begins. */
export interface SubscribeOptions {
  /**
   * The position behind the last event that is already known. The events after it are sent first, as far as they are
   * retained. With 0, all retained events are sent.
   * @default only events published from now on
   */
  readonly since?: Position | 0 | undefined;
}

/**
 * The events of a topic, as a method returns them to its caller, who iterates over them. Leaving the loop, `return()`
 * and disposing the subscription unsubscribe. The subscription goes on when a lost connection is open again.
 */
export interface Subscription<Event> extends AsyncIterableIterator<TopicItem<Event>, undefined>, Disposable {
  /** The number of the last event that was consumed. */
  readonly sequence: number;
  /** The position behind the last event that was consumed, for `since` of a later subscription. */
  readonly position: Position;
  /** Exists only in the types, not at run time. */
  readonly [EVENT]: Event;
}
