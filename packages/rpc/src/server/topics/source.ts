/** Events that follow each other, each encoded. */
export interface Run {
  readonly first: number;
  readonly events: readonly Uint8Array[];
}

/** What a subscriber needs of a topic. */
export interface TopicSource {
  readonly name: string;
  /** The number of the newest event. */
  readonly newest: number;
  /** Returns the first events after a number that can still be had, up to `max`; undefined where there are none. */
  read(after: number, max: number): Run | undefined;
}

/** Returned by `subscribe()`: stands for a subscription until the result of the call is sent. It cannot be gone through here. */
export class SubscriptionRequest {
  readonly source: TopicSource;
  /** The number after which events are wanted. */
  readonly since: number;

  constructor(source: TopicSource, since: number) {
    this.source = source;
    this.since = since;
  }
}
