import type { EventSource, Message } from '../src/events/events.ts';
import { type Callback, Callbacks } from './callbacks.ts';
import { EventRows } from './event-rows.ts';

/** Events as Cap'n Web has them: each subscriber passes a callback, which the object keeps and calls. */
export class CallbackEvents implements EventSource {
  readonly #rows: EventRows;
  readonly #callbacks = new Callbacks<[number: number, message: Message]>();

  constructor(sql: SqlStorage) {
    this.#rows = new EventRows(sql);
  }

  publish(message: Message): number {
    const number = this.#rows.add(JSON.stringify(message));
    this.#callbacks.callAll(number, message);
    return number;
  }

  subscribe(callback: Callback<[number: number, message: Message]>): void {
    this.#callbacks.add(callback);
  }
}
