declare const EVENT: unique symbol;

/** What a subscription gives: an event and its number, or a gap of events that can no longer be had. */
export type TopicItem<Event> =
  | {
      /** The event's number: one more than that of the event before. */
      readonly sequence: number;
      readonly event: Event;
      readonly missed?: undefined;
    }
  | {
      /** The number of the last event that was missed. */
      readonly sequence: number;
      /** How many were missed; `Infinity` where that cannot be known. */
      readonly missed: number;
      readonly event?: undefined;
    };

/** Where a subscription begins. */
export interface SubscribeOptions {
  /** The number of the last event that is known already: those after it are sent first, as far as they are retained. 0: all of them. @default what is published from now on */
  readonly since?: number | undefined;
}

/**
 * The events of a topic, as a method returns them to its caller, who goes through them. Leaving the loop, `return()` and
 * disposing it unsubscribe. It goes on when the connection was lost and is open again.
 */
export interface Subscription<Event> extends AsyncIterableIterator<TopicItem<Event>, undefined>, Disposable {
  /** The number of the last event that was gone through, for `since` of a later subscription. */
  readonly sequence: number;
  /** For types only, and not there at run time. */
  readonly [EVENT]: Event;
}
