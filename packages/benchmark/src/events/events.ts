/** An event as it is published: a chat message of about a hundred bytes. */
export interface Message {
  readonly number: number;
  readonly from: string;
  readonly text: string;
}

/** What an object does with events, whatever carries them. */
export interface EventSource {
  /** Stores an event, sends it to all subscribers and returns its number: the first has 1. */
  publish(message: Message): number;
  /** Takes or returns what a library needs to send a caller the events from now on. */
  subscribe(callback?: unknown): unknown;
}

/** Hears what one subscriber is sent. */
export interface Receiver {
  receive(sequence: number, message: Message): void;
  /** Called where nothing more can come, or something was left out. */
  fail(reason: unknown): void;
}

/** What a connection can do with the events of its object. */
export interface EventsConnection {
  publish(message: Message): PromiseLike<number>;
  /** Resolves when all that is published from then on will come. */
  subscribe(receiver: Receiver): Promise<void>;
}

/** Returns the message published as event `number`. */
export function messageOf(number: number): Message {
  return { number, from: 'ada', text: `Message ${number}: what was said here goes to everybody who listens` };
}
