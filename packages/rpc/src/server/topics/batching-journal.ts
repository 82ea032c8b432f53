import type { Message } from '../../protocol/message.ts';
import { Journal, type Run } from './journal.ts';

/** Options for storing events in batches. */
export interface Batches {
  readonly everyEvents: number;
  readonly everyMs: number;
}

/** Number of batches for which event numbers are noted as given in advance. */
const AHEAD = 10;
/** Largest row to write, in bytes. SQLite allows 2 MB. */
const MAX_ROW_BYTES = 1_000_000;

/**
 * Stores events in batches, some time after they were sent and outside of any transaction. It notes numbers as given
 * before it gives them: after a crash no number is given twice, and a returning subscriber sees that events are
 * missing. If no events are retained, it stores only these notes.
 */
export class BatchingJournal extends Journal {
  override readonly storesLater = true;
  readonly #batches: Batches;
  /** The number of the newest event; undefined before it is first needed. */
  #newest: number | undefined;
  /** The newest number that is noted as given. */
  #given = 0;
  /** The newest number when the timer was set. */
  #timed = 0;
  /** The newest events, which are not yet stored. */
  #unsaved: Message[] = [];
  #unsavedSize = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(storage: DurableObjectStorage, topic: string, retain: number, batches: Batches) {
    super(storage, topic, retain);
    this.#batches = batches;
  }

  override get newest(): number {
    if (this.#newest === undefined) this.#given = this.#newest = this.open();
    return this.#newest;
  }

  override append(event: Message): number {
    this.#newest = this.newest + 1;
    if (this.retain > 0) {
      this.#unsaved.push(event);
      this.#unsavedSize += event.length;
    }
    return this.#newest;
  }

  override commitTurn(): number {
    const { newest } = this;
    const { everyEvents } = this.#batches;
    if (newest > this.#given) {
      this.#given = newest + AHEAD * everyEvents;
      this.reserveNumbers(this.#given);
    }
    if (this.#unsaved.length >= everyEvents || this.#unsavedSize > MAX_ROW_BYTES) this.#store();
    // The object stays in memory while there is a timer.
    if (this.#timer === undefined) this.#setTimer();
    return newest;
  }

  override read(after: number, max: number): Run | undefined {
    const stored = super.read(after, max);
    if (stored !== undefined) return stored;
    const first = Math.max(after, this.#stored) + 1;
    if (first > this.newest) return undefined;
    const place = first - this.#stored - 1;
    return { first, events: this.#unsaved.slice(place, place + max) };
  }

  /** The number of the last event that is not among the unsaved ones. */
  get #stored(): number {
    return this.newest - this.#unsaved.length;
  }

  #setTimer(): void {
    this.#timed = this.newest;
    this.#timer = setTimeout(() => this.#elapsed(), this.#batches.everyMs);
  }

  #elapsed(): void {
    this.#timer = undefined;
    if (this.#unsaved.length > 0 || this.newest > this.#timed) {
      this.#store();
      this.#setTimer();
    } else {
      // Nothing was published for a while. Numbers that stay noted in advance would later count as lost events.
      this.#given = this.newest;
      this.reserveNumbers(this.#given);
    }
  }

  #store(): void {
    this.#unsavedSize = 0;
    while (this.#unsaved.length > 0) {
      const before = this.#stored;
      let [count, size] = [0, 0];
      // An event that is too large for this gets a row of its own.
      while (count < this.#unsaved.length && (count === 0 || size + this.#unsaved[count].length <= MAX_ROW_BYTES)) {
        size += this.#unsaved[count++].length;
      }
      this.store(this.#unsaved.slice(0, count), before);
      this.#unsaved = this.#unsaved.slice(count);
    }
  }
}
