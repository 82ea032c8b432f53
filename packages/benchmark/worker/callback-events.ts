import type { EventSource, Message } from '../src/events/events.ts';
import { EventRows } from './event-rows.ts';

/** What Cap'n Web makes of a function that a client passed. */
interface Callback {
  (number: number, message: Message): Disposable;
  dup(): Callback;
  onRpcBroken(broken: () => void): void;
}

/**
 * Events as Cap'n Web has them: each subscriber passes a callback, which the object keeps and calls. Nobody waits for
 * what callbacks return, which saves Cap'n Web two of four frames a call.
 */
export class CallbackEvents implements EventSource {
  readonly #rows: EventRows;
  readonly #callbacks = new Set<Callback>();

  constructor(sql: SqlStorage) {
    this.#rows = new EventRows(sql);
  }

  publish(message: Message): number {
    const number = this.#rows.add(JSON.stringify(message));
    for (const callback of this.#callbacks) callback(number, message)[Symbol.dispose]();
    return number;
  }

  subscribe(callback: Callback): void {
    // What is passed to a call is let go of at its end.
    const kept = callback.dup();
    this.#callbacks.add(kept);
    kept.onRpcBroken(() => this.#callbacks.delete(kept));
  }
}
