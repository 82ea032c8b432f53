import type { Journal } from './journal.ts';
import type { Run } from './source.ts';
import type { TopicLog } from './topic-log.ts';

/** How events are stored together. */
export interface Batches {
  readonly everyEvents: number;
  readonly everyMs: number;
}

/** Batches' worth of numbers that are noted as given at a time. */
const AHEAD = 10;
/** A row may have 2 MB. */
const MAX_ROW_BYTES = 1_000_000;

/**
 * Stores events together, some time after they were sent, and is no part of a transaction. Numbers are noted as given
 * before they are: after a crash none is given again, and who comes back sees that something is missing.
 */
export class BatchingJournal implements Journal {
  readonly #log: TopicLog;
  readonly #retain: number;
  readonly #batches: Batches;
  #newest: number;
  /** How far numbers are noted as given. */
  #given: number;
  /** The newest events, which are not stored yet. */
  #unsaved: Uint8Array[] = [];
  #unsavedBytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(log: TopicLog, retain: number, batches: Batches) {
    this.#log = log;
    this.#retain = retain;
    this.#batches = batches;
    log.trim(retain);
    this.#given = log.given;
    this.#newest = Math.max(log.newest, this.#given);
  }

  get newest(): number {
    return this.#newest;
  }

  append(event: Uint8Array): number {
    this.#unsaved.push(event);
    this.#unsavedBytes += event.length;
    return ++this.#newest;
  }

  settle(): number {
    const { everyEvents, everyMs } = this.#batches;
    if (this.#newest > this.#given) {
      this.#given = this.#newest + AHEAD * everyEvents;
      this.#log.give(this.#given);
    }
    if (this.#unsaved.length >= everyEvents || this.#unsavedBytes > MAX_ROW_BYTES) this.#store();
    // The object stays in memory while there is a timer.
    this.#timer ??= setTimeout(() => this.#elapsed(), everyMs);
    return this.#newest;
  }

  read(after: number, max: number): Run | undefined {
    const stored = this.#log.read(after, max);
    if (stored !== undefined) return stored;
    const first = Math.max(after, this.#stored) + 1;
    if (first > this.#newest) return undefined;
    const place = first - this.#stored - 1;
    return { first, events: this.#unsaved.slice(place, place + max) };
  }

  /** The number of the last event that is not among the unsaved ones. */
  get #stored(): number {
    return this.#newest - this.#unsaved.length;
  }

  #elapsed(): void {
    this.#timer = undefined;
    if (this.#unsaved.length > 0) {
      this.#store();
      this.#timer = setTimeout(() => this.#elapsed(), this.#batches.everyMs);
    } else {
      // Nothing was published for a while: what was noted ahead would be taken for lost.
      this.#given = this.#newest;
      this.#log.give(this.#given);
    }
  }

  #store(): void {
    this.#unsavedBytes = 0;
    while (this.#unsaved.length > 0) {
      const first = this.#stored + 1;
      let [count, bytes] = [0, 0];
      // One that is too large for this has a row of its own.
      while (count < this.#unsaved.length && (count === 0 || bytes + this.#unsaved[count].length <= MAX_ROW_BYTES)) {
        bytes += this.#unsaved[count++].length;
      }
      const events = this.#unsaved.slice(0, count);
      this.#log.append({ first, events }, this.#retain);
      this.#unsaved = this.#unsaved.slice(events.length);
    }
  }
}
