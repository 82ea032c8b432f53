import { ACKNOWLEDGE, type Signal } from '../../protocol/signal.ts';
import { type Call, type OutgoingFrame, pass } from './call.ts';
import type { CallTable } from './call-table.ts';

/**
 * Results of exactly-once calls that the other side has stored. With what is sent next it is told which are not needed any more,
 * but not before all calls have settled that use them, and the step itself where it is awaited by now: these may be made again.
 */
export class Acknowledgements {
  readonly #table: CallTable;
  readonly #append: (signal: Signal) => OutgoingFrame;
  /** Calls by their ids; those whose results nobody uses any more are undefined. */
  readonly #due = new Map<number, Call | undefined>();

  /** `append` puts a signal into the frame that is being written. */
  constructor(table: CallTable, append: (signal: Signal) => OutgoingFrame) {
    this.#table = table;
    this.#append = append;
  }

  /** Notes that a result is stored which arrives now, or that of a step. */
  stored(id: number): void {
    const awaited = this.#table.get(id);
    const frame = awaited === undefined ? frameOf(id, this.#table) : undefined;
    const call = awaited ?? frame?.steps?.find((step) => step.id === id);
    // Of a call that has settled before, this is known.
    if (this.#due.has(id) || (call === undefined && frame !== undefined)) return;
    if (call !== undefined) call.isStored = true;
    this.#due.set(id, call?.isUsed ? call : undefined);
  }

  /** Writes what can be told by now. It is told again where the other side does not read the frame. */
  write(): void {
    const ids: number[] = [];
    for (const [id, call] of this.#due) {
      if (call?.isUsed || this.#table.get(id) !== undefined) continue;
      if (call !== undefined) call.isOver = true;
      this.#due.delete(id);
      ids.push(id);
    }
    if (ids.length === 0) return;
    const again = () => {
      for (const id of ids) this.#due.set(id, undefined);
    };
    pass(this.#append([ACKNOWLEDGE, ...ids]), [{ takeBack: again, lost: again }]);
  }

  /** Drops what is still to be told. */
  clear(): void {
    this.#due.clear();
  }
}

/** Returns the frame of an operation, where calls behind it have not settled which may use its result. */
function frameOf(id: number, table: CallTable): OutgoingFrame | undefined {
  for (const call of table.values()) if (call.id > id && call.frame!.firstId <= id) return call.frame;
  return undefined;
}
