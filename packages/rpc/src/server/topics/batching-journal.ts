import type { Message } from '../../types/message.ts';
import type { Position } from '../../types/topic.ts';
import { Journal, type Run } from './journal.ts';

/** Options for storing events in batches. */
export interface Batches {
  readonly everyEvents: number;
  readonly everyMs: number;
}

/** Number of batches for which event numbers are noted as given in advance. */
const AHEAD = 10;
/** Largest row to write, by the `length` of its events. SQLite allows 2 MB, and a UTF-16 unit takes up to 3 bytes. */
const MAX_ROW_SIZE = 600_000;

/**
 * Stores events in batches, some time after they were sent and outside of any transaction. It notes numbers as given
 * before it gives them: after a crash no number is given twice, and a returning subscriber sees that events are
 * missing. If no events are retained, it stores only these notes.
 */
export class BatchingJournal extends Journal {
  override readonly storesLater = true;
  readonly #batches: Batches;
  readonly #attempt: (job: () => void) => void;
  /** The number of the newest event; undefined before it is first needed. */
  #newest: number | undefined;
  /** The epoch of the newest event, if it was published since the object woke. */
  #epoch: string | undefined;
  /** The newest number that is noted as given. */
  #given = 0;
  /** The newest events, which are not yet stored. */
  #unsaved: Message[] = [];
  #unsavedSize = 0;
  #timer: ReturnType<typeof setTimeout> | null = null;

  /** `attempt` runs a job and reports its error. */
  constructor(
    storage: DurableObjectStorage,
    topic: string,
    retain: number,
    batches: Batches,
    attempt: (job: () => void) => void,
  ) {
    super(storage, topic, retain);
    this.#batches = batches;
    this.#attempt = attempt;
  }

  override get newest(): Position {
    return this.#epoch === undefined ? super.newest : [this.#epoch, this.#last];
  }

  override append(event: Message): number {
    this.#newest = this.#last + 1;
    this.#epoch = this.ownEpoch;
    if (this.retain > 0) {
      this.#unsaved.push(event);
      this.#unsavedSize += event.length;
    }
    return this.#newest;
  }

  override commitTurn(): number {
    const newest = this.#last;
    const { everyEvents } = this.#batches;
    // The object stays in memory while there is a timer.
    if (this.#timer === null) this.#setTimer();
    if (newest > this.#given) this.#given = this.reserveNumbers(newest + AHEAD * everyEvents);
    if (this.#unsaved.length >= everyEvents || this.#unsavedSize > MAX_ROW_SIZE) this.#store();
    return newest;
  }

  override read(after: number, max: number): Run | undefined {
    const stored = super.read(after, max);
    if (stored !== undefined) return stored;
    const first = Math.max(after, this.#stored) + 1;
    if (first > this.#last) return undefined;
    const place = first - this.#stored - 1;
    return { first, events: this.#unsaved.slice(place, place + max) };
  }

  override delete(): void {
    super.delete();
    clearTimeout(this.#timer!);
    this.#timer = null;
    this.#unsaved = [];
    this.#unsavedSize = this.#given = 0;
    this.#epoch = this.ownEpoch;
  }

  /** The number of the newest event. */
  get #last(): number {
    if (this.#newest === undefined) this.#given = this.#newest = this.prepare();
    return this.#newest;
  }

  /** The number of the last event that is not among the unsaved ones. */
  get #stored(): number {
    return this.#last - this.#unsaved.length;
  }

  #setTimer(): void {
    const newest = this.#last;
    this.#timer = setTimeout(() => this.#attempt(() => this.#elapsed(newest)), this.#batches.everyMs);
  }

  /** Called by the timer, which was set when the newest number was `before`. */
  #elapsed(before: number): void {
    this.#timer = null;
    if (this.#unsaved.length > 0 || this.#last > before) {
      this.#setTimer();
      this.#store();
    } else {
      // Nothing was published for a while. Numbers that stay noted in advance would later count as lost events.
      this.#given = this.reserveNumbers(this.#last);
    }
  }

  /** Stores the unsaved events. Those that cannot be stored are dropped, since they must not pile up in memory. */
  #store(): void {
    const unsaved = this.#unsaved;
    let before = this.#stored;
    this.#unsaved = [];
    this.#unsavedSize = 0;
    for (let at = 0; at < unsaved.length; ) {
      const first = at;
      let size = 0;
      // An event that is too large for this gets a row of its own.
      do size += unsaved[at++].length;
      while (at < unsaved.length && size + unsaved[at].length <= MAX_ROW_SIZE);
      before = this.store(unsaved.slice(first, at), before);
    }
  }
}
