import type { Message } from '../../types/message.ts';
import type { Position } from '../../types/topic.ts';

/** Events with consecutive numbers, each encoded as a message, and the epoch that a subscriber is in behind them. */
export interface EpochRun {
  /** The epoch. A subscription whose connection is lost behind these events goes on with it. */
  readonly epoch: string;
  /** The number of the first event. */
  readonly first: number;
  /** The events, encoded by `encode` of the codec. */
  readonly events: readonly Message[];
}

/** The place where a subscriber goes on. */
export interface Resumed {
  /** The number of the last event that it does not get. */
  readonly last: number;
  /** The number of events that it has missed; `Infinity` if that cannot be known. */
  readonly missed: number;
  /** The epoch that it is in until it gets an event; by default that of the newest event. */
  readonly epoch?: string;
  /**
   * Returns what it gets before new events, in place of what `read` returns. It is called when the client knows of the
   * subscription, and at the end of a turn.
   */
  readonly missedEvents?: () => Iterable<EpochRun>;
}

/** The events of a turn. */
export interface TurnEvents extends EpochRun {
  /**
   * The calls that have led to the events, by the `connectionId` of their callers: the events of subscribers name
   * theirs as `calls`.
   */
  readonly calls?: ReadonlyMap<string, readonly number[]>;
}

/** Numbers and keeps the events of a topic. */
export interface TopicJournal {
  /** True if `commitTurn` has to be called even without subscribers. */
  readonly storesLater: boolean;
  /** The epoch of events that are published now. */
  readonly ownEpoch: string;
  /** The position of the newest event. */
  readonly newest: Position;
  /** Called before a connection subscribes. */
  prepare(): unknown;
  /** Says where a subscriber goes on that comes with a position. */
  resume(position: Position): Resumed;
  /** Takes a published event, and returns its number. */
  append(event: Message): number;
  /** Called when a turn has ended in which events were published. Returns the number of the newest event. */
  commitTurn(): number;
  /** Returns the events of the turn, in place of the published ones; undefined if there are none. */
  turnEvents?(): TurnEvents | undefined;
  /** Reads up to `max` consecutive events from the first one after a number on; undefined if there are none. */
  read(after: number, max: number): { readonly first: number; readonly events: readonly Message[] } | undefined;
  /** Deletes all events. */
  delete(): void;
}
