import type { Position } from '../../types/topic.ts';
import { Journal, type Run } from './journal.ts';

/**
 * Numbers events in memory, and stores nothing at all. The numbers begin anew when the object has left memory: to
 * subscribers that is a gap of unknown size.
 */
export class MemoryJournal extends Journal {
  #newest = 0;

  override get newest(): Position {
    return [this.ownEpoch, this.#newest];
  }

  override resume([epoch, sequence]: Position): { last: number; missed: number } {
    const isKnown = sequence === 0 || (epoch === this.ownEpoch && sequence <= this.#newest);
    return isKnown ? { last: sequence, missed: 0 } : { last: this.#newest, missed: Number.POSITIVE_INFINITY };
  }

  override append(): number {
    return ++this.#newest;
  }

  override commitTurn(): number {
    return this.#newest;
  }

  override prepare(): number {
    return this.#newest;
  }

  override read(): Run | undefined {
    return undefined;
  }

  /** Does nothing: nothing is stored, and numbers are not given twice. */
  override delete(): void {}
}
