import type { Run } from './source.ts';
import type { TopicLog } from './topic-log.ts';

/** Numbers events and keeps them. */
export interface Journal {
  /** The number of the newest event. */
  readonly newest: number;
  /** Takes an event, encoded, and returns its number. */
  append(event: Uint8Array): number;
  /** To be called when a turn has ended, before its events are sent: returns the number up to which there are events. */
  settle(): number;
  read(after: number, max: number): Run | undefined;
}

/** Stores each event at once, as a part of whatever transaction it is published in. */
export class StoringJournal implements Journal {
  readonly #log: TopicLog;
  readonly #retain: number;
  /** Numbers up to this one are not given, whatever is stored: those were sent, or given by a topic that stores later. */
  #given: number | undefined;

  constructor(log: TopicLog, retain: number) {
    this.#log = log;
    this.#retain = retain;
  }

  // Asked for each time: memory does not notice when a transaction is rolled back.
  get newest(): number {
    return Math.max(this.#log.newest, this.#open());
  }

  append(event: Uint8Array): number {
    const number = this.newest + 1;
    this.#log.append({ first: number, events: [event] }, this.#retain);
    return number;
  }

  settle(): number {
    const { newest } = this.#log;
    this.#given = Math.max(this.#open(), newest);
    return newest;
  }

  read(after: number, max: number): Run | undefined {
    return this.#log.read(after, max);
  }

  #open(): number {
    if (this.#given === undefined) {
      this.#log.trim(this.#retain);
      this.#given = this.#log.given;
    }
    return this.#given;
  }
}
